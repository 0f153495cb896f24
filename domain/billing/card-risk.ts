import { NEW_CARD } from '../../contract/billing/card-payments.ts';
import type { InvoiceKind } from '../../contract/enums.ts';
import { ApiError, missingFunds } from '../../contract/errors.ts';
import type { Account } from '../../table/entities/accounts.ts';
import { MINUTE_MS, timestampAfter } from '../time.ts';
import { formatRand } from './money.ts';

/** Rules about money that a cardholder may charge back. Amounts are cents. */

type NewCardHold = NonNullable<Account['newCardHolds']>[number];

/** Kinds of purchases that the platform cannot reverse. */
const IRREVERSIBLE: readonly InvoiceKind[] = ['DOMAIN', 'AI_CREDITS'];

/** Returns the holds that have not ended. @param now ISO 8601 */
const currentHolds = ({ newCardHolds = [] }: Pick<Account, 'newCardHolds'>, now: string): NewCardHold[] =>
  newCardHolds.filter(({ until }) => until > now);

/** Returns the time after which a payment's money can buy everything. @param firstPaidAt as in {@link holdsAfter} */
export const holdEnd = (firstPaidAt: string): string => timestampAfter(firstPaidAt, NEW_CARD.holdMs);

/**
 * Returns the holds of an account after another card payment.
 *
 * @param firstPaidAt time of the card's first payment into this account, in ISO 8601; this payment's for a new card
 */
export function holdsAfter(
  account: Pick<Account, 'newCardHolds'>,
  { amountCents, firstPaidAt, now }: { amountCents: number; firstPaidAt: string; now: string },
): NewCardHold[] {
  const until = holdEnd(firstPaidAt);
  const current = currentHolds(account, now);
  return until > now ? [...current, { amountCents, until }] : current;
}

/** Returns the part of the balance that must not buy this kind yet: money from new cards beyond the allowance. */
export function withheldCents(account: Pick<Account, 'newCardHolds'>, kind: InvoiceKind, now: string): number {
  if (!IRREVERSIBLE.includes(kind)) return 0;
  const held = currentHolds(account, now).reduce((total, { amountCents }) => total + amountCents, 0);
  return Math.max(0, held - NEW_CARD.allowanceRand * 100);
}

/** Formats a time for people, rounded up to the minute: `2026-01-31 09:31 UTC`. @param time ISO 8601 */
function minuteOf(time: string): string {
  const minute = new Date(Math.ceil(Date.parse(time) / MINUTE_MS) * MINUTE_MS).toISOString();
  return `${minute.slice(0, 10)} ${minute.slice(11, 16)} UTC`;
}

/** Returns the time at which the money of all new cards is available, with the reason. */
function availableFrom(account: Pick<Account, 'newCardHolds'>, now: string): string {
  const ends = currentHolds(account, now).map(({ until }) => until);
  return `${minuteOf(ends.sort().at(-1) ?? now)}, because a card that is new to this account has paid in`;
}

/** Money of an account that may be spent, and the part of it that is withheld from a purchase. `now` is ISO 8601. */
interface WithheldMoney {
  spendableCents: number;
  withheld: number;
  now: string;
}

/**
 * Creates the error of a purchase with withheld money: 402, with the available amount and the time at which everything is available. It names
 * no card, because payments are not assigned to purchases: how much of a card's money the wallet still has is not known.
 */
export function newCardError(
  account: Pick<Account, 'newCardHolds'>,
  { spendableCents, withheld, now }: WithheldMoney,
): ApiError {
  const availableCents = Math.max(0, spendableCents - withheld);
  return new ApiError(
    'insufficient_funds',
    `R${formatRand(availableCents)} of the wallet can buy domains and AI credits now. The other R${formatRand(spendableCents - availableCents)} is available from ${availableFrom(account, now)}.`,
  );
}

/**
 * Creates the error of a purchase for which money is missing: 402, with the amount to top up. It names frozen money, which the amount
 * replaces, and withheld money, for which the purchase would have to wait even after the top-up.
 */
export function missingMoneyError(
  account: Pick<Account, 'newCardHolds' | 'frozenCents'>,
  { amountCents, spendableCents, withheld, now }: WithheldMoney & { amountCents: number },
): ApiError {
  const { frozenCents = 0 } = account;
  const remedy =
    frozenCents > 0
      ? ` while R${formatRand(frozenCents)} of the wallet is frozen, because a card payment is disputed. Top up first, or contact support.`
      : '. Top up first.';
  const waitingCents = Math.min(withheld, Math.max(0, spendableCents));
  const wait =
    waitingCents > 0
      ? ` R${formatRand(waitingCents)} of the wallet can buy domains and AI credits only from ${availableFrom(account, now)}.`
      : '';
  return missingFunds(formatRand(amountCents - spendableCents), remedy + wait);
}
