/** Limits of card payments, in whole rand and milliseconds: they bound what a mistake or a stolen card can cost. */

/** The most that one card payment brings. */
export const MAX_TOP_UP_RAND = 100_000;

/** Limits of automatic top-ups. A day is any 24 hours. */
export const AUTO_TOP_UP_LIMITS = {
  minAmountRand: 10,
  maxPerDay: 10,
  maxRandPerDay: 100_000,
} as const;

/**
 * The time during which money of a card that the account has not used before buys goods that cannot be taken back (domains,
 * AI credits) up to an allowance only: stolen cards are reported, and payments with them disputed, soon after their use.
 */
export const NEW_CARD = {
  holdMs: 3600_000,
  allowanceRand: 5_000,
} as const;
