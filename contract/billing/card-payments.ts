/** Limits of card payments. They limit the damage of a mistake or a stolen card. */

/** The largest card payment, in rand. */
export const MAX_TOP_UP_RAND = 100_000;

/** Limits of automatic top-ups. A day is any 24 hours. */
export const AUTO_TOP_UP_LIMITS = {
  minAmountRand: 10,
  maxPerDay: 10,
  maxRandPerDay: 100_000,
} as const;

/**
 * For `holdMs` after a payment with a card that is new to the account, its money buys goods that cannot be returned (domains, AI
 * credits) only up to an allowance. Stolen cards are reported, and their payments disputed, soon after they are used.
 */
export const NEW_CARD = {
  holdMs: 3600_000,
  allowanceRand: 5_000,
} as const;
