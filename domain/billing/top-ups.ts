import type { createTopUp as CreateRoute, getTopUp as GetRoute } from '../../contract/billing/top-ups.ts';
import { ApiError, temporaryFailure } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/route.ts';
import {
  ChargeRefused,
  type Payment,
  PaymentProviderError,
  type Payments,
  PaymentsNotConfigured,
} from '../../providers/payments/payments.ts';
import { AccountDeletion } from '../../table/entities/account-data.ts';
import { Account } from '../../table/entities/accounts.ts';
import { KnownCard, TopUp } from '../../table/entities/billing.ts';
import { SwitchState } from '../../table/entities/switches.ts';
import { unchanged } from '../../table/expressions.ts';
import { schedule, unschedule } from '../../table/schedule.ts';
import { change, check, create, type Write } from '../../table/writes.ts';
import { concurrentUpdate, tryTransact } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import { countToday, findAccount } from '../limits/limits.ts';
import { messageOf } from '../switches/switches.ts';
import { DAY_MS, timestampAfter } from '../time.ts';
import { emit } from '../webhooks/events.ts';
import { holdEnd, holdsAfter } from './card-risk.ts';
import { formatRand, parseCents } from './money.ts';
import { withWallet } from './wallet.ts';

export type PaymentDeps = Deps & { payments: Payments };

/**
 * Delay of the first status check with the payment provider, in milliseconds; the intervals of later checks grow. Checks are
 * needed because callbacks get lost.
 */
export const FIRST_CHECK_DELAY_MS = 60_000;
/** Time after which an unpaid top-up fails, in milliseconds. A later payment on its page still counts. */
export const PAYMENT_PAGE_LIFETIME_MS = DAY_MS;

/** Returns a top-up's reference at the payment provider, which does not allow underscores. */
const paymentReference = (id: string) => id.replace('_', '-');
/** Returns the id of the top-up with this reference at the payment provider. */
export const topUpId = (reference: string) => reference.replace('-', '_');

/** Returns a new top-up, scheduled for its first status check. */
export function newTopUp(deps: Deps, details: Pick<TopUp, 'accountId' | 'amountCents' | 'automatic'>): TopUp {
  const now = deps.now();
  const times = { createdAt: now.toISOString(), dueAt: timestampAfter(now, FIRST_CHECK_DELAY_MS) };
  return { ...details, id: deps.newId('pay'), status: 'PENDING', ...times };
}

/** Converts a failure of the payment provider to the caller's error: 503 without card payments, otherwise 502. Rethrows other errors. */
export const paymentProviderUnavailable = (error: unknown): never => {
  if (!(error instanceof PaymentProviderError)) throw error;
  if (error instanceof PaymentsNotConfigured)
    throw new ApiError('server_error', 'Card payments are not set up yet.', { status: 503 });
  throw temporaryFailure('The payment provider is not responding.', { status: 502, cause: error });
};

/**
 * POST /dashboard/v1/wallet/topups. Returns the URL of a payment page at the payment provider. Throws 502 if it does not respond, 503 without
 * card payments, and 429 at the daily limit of top-ups.
 */
export async function createTopUp(
  deps: PaymentDeps,
  { accountId }: Caller,
  { amount }: Input<typeof CreateRoute>,
): Promise<Output<typeof CreateRoute>> {
  const account = await findAccount(deps, accountId);
  const topUp = newTopUp(deps, { accountId, amountCents: parseCents(amount), automatic: false });
  const { id, status, amountCents } = topUp;
  // Creates the page before the top-up is stored, which is safe: a page that the caller has not received cannot be paid.
  const paymentUrl = await deps.payments
    .begin({
      reference: paymentReference(id),
      amountCents,
      email: account.email,
      returnTo: `${deps.settings.publicUrl}/dashboard/billing?payment=${id}&amount=${formatRand(amountCents)}`,
    })
    .catch(paymentProviderUnavailable);
  return await deps.commit(
    [countToday(deps, account, 'topUpsPerDay'), create(TopUp, topUp)],
    {
      data: { paymentId: id, amount: formatRand(amountCents), status, paymentUrl },
    },
    { subjectId: id, after: { amount: formatRand(amountCents), status, automatic: false } },
  );
}

/** GET /dashboard/v1/wallet/topups/{id}. Throws 404. */
export async function getTopUp(
  deps: Deps,
  { accountId }: Caller,
  { id }: Input<typeof GetRoute>,
): Promise<Output<typeof GetRoute>> {
  const topUp = await deps.table.get(TopUp, { id });
  if (topUp?.accountId !== accountId) throw new ApiError('not_found', 'Payment not found.');
  return { data: { paymentId: id, amount: formatRand(topUp.amountCents), status: topUp.status } };
}

/**
 * Reads a payment's status from the payment provider and records the result, once. Idempotent, and independent of the order of callbacks.
 * Credits the amount that the provider has received, not the amount of a callback or of the request.
 */
export async function settleTopUp(deps: PaymentDeps, id: string): Promise<TopUp['status'] | undefined> {
  const topUp = await deps.table.get(TopUp, { id });
  if (!topUp || topUp.status === 'SUCCEEDED') return topUp?.status;
  const found = await deps.payments.find(paymentReference(id));
  if (!found && topUp.automatic && topUp.status === 'PENDING' && !(await allowCharge(deps, topUp))) {
    return await fail(deps, topUp, { isCancelled: true });
  }
  const payment = found ?? (await chargeSavedCard(deps, topUp));
  if (payment === 'REFUSED') return await fail(deps, topUp);
  if (payment?.status === 'SUCCEEDED') return await credit(deps, topUp, payment);
  if (payment?.status === 'FAILED') return await fail(deps, topUp);
  const isExpired = Date.parse(topUp.createdAt) + PAYMENT_PAGE_LIFETIME_MS <= deps.now().getTime();
  // An abandoned payment page is not a failed payment.
  if (isExpired) return await fail(deps, topUp, { isCancelled: !topUp.automatic });
  return topUp.status;
}

/** Charges the saved card. Ignores failures of the payment provider: the scheduled check retries, so the queue need not. */
export async function chargeTopUp(deps: PaymentDeps, id: string): Promise<void> {
  await settleTopUp(deps, id).catch((error) => {
    if (!(error instanceof PaymentProviderError)) throw error;
  });
}

/** Returns true while operators have card payments switched off. */
export async function areTopUpsOff(deps: Pick<Deps, 'table'>): Promise<boolean> {
  const state = await deps.table.get(SwitchState, {});
  return messageOf(state?.off ?? {}, 'top-ups') !== undefined;
}

/**
 * Marks an automatic top-up as charged if it may still charge the card: automatic top-ups are still enabled with this amount, and the account is
 * neither suspended nor scheduled for deletion. A change of these either precedes this transaction, and nothing is charged, or follows it.
 * @returns true if the card may be charged
 */
async function allowCharge(deps: PaymentDeps, { id, accountId, amountCents }: TopUp): Promise<boolean> {
  if (await areTopUpsOff(deps)) return false;
  const isEnabled = {
    'autoTopUp.enabled': { is: true },
    'autoTopUp.amountCents': { is: amountCents },
    autoTopUpId: { is: id },
    card: 'present' as const,
    suspension: 'absent' as const,
    deletion: 'absent' as const,
  };
  const charged = { set: { chargedAt: deps.now().toISOString() }, when: { status: { is: 'PENDING' } } };
  return await tryTransact(deps, [
    change(TopUp, { id }, charged, concurrentUpdate),
    check(Account, { id: accountId }, isEnabled, concurrentUpdate),
  ]);
}

/** Charges the saved card for an automatic top-up that the payment provider does not know yet. Returns `REFUSED` if the card cannot be charged. */
async function chargeSavedCard(
  deps: PaymentDeps,
  { id, accountId, amountCents, automatic, status }: TopUp,
): Promise<Payment | 'REFUSED' | undefined> {
  const account = automatic && status === 'PENDING' ? await deps.table.get(Account, { id: accountId }) : undefined;
  if (!account?.card) return undefined;
  try {
    await deps.payments.charge({ ...account.card, reference: paymentReference(id), amountCents });
  } catch (error) {
    if (error instanceof ChargeRefused) return 'REFUSED';
    throw error;
  }
  return await deps.payments.find(paymentReference(id));
}

const rereadTopUp =
  (deps: Deps, { id }: TopUp) =>
  async (): Promise<TopUp> => {
    const topUp = await deps.table.get(TopUp, { id });
    if (!topUp) throw new Error(`the top-up ${id} no longer exists`);
    return topUp;
  };

/** Reads the top-up, the card if it has paid into the account before, and the account's deletion if one was requested. */
const readCredit = (deps: Deps, topUp: TopUp, signature: string | undefined) => async () => {
  const { accountId } = topUp;
  const [current, knownCard, deletion] = await Promise.all([
    rereadTopUp(deps, topUp)(),
    signature === undefined ? undefined : deps.table.get(KnownCard, { accountId, signature }),
    deps.table.get(AccountDeletion, { accountId }),
  ]);
  return { current, knownCard, deletion };
};
const hasBegun = ({ status }: AccountDeletion) => status === 'RUNNING' || status === 'DELETED';

/**
 * Returns the write for money of an account whose deletion was requested. The refund of a completed deletion is increased. An earlier one will
 * refund the whole balance, so the write only checks that it has not advanced: a small account is deleted within a second of its grace period.
 */
function addToRefund({ accountId, status }: AccountDeletion, amountCents: number): Write {
  const when = { status: { is: status } };
  return status === 'DELETED'
    ? change(AccountDeletion, { accountId }, { add: { refundCents: amountCents }, when }, concurrentUpdate)
    : check(AccountDeletion, { accountId }, when, concurrentUpdate);
}

const credit = (deps: Deps, topUp: TopUp, { amountCents, card, signature }: Payment) =>
  withWallet(deps, topUp.accountId, readCredit(deps, topUp, signature), async (wallet, read) => {
    const { current, knownCard, deletion } = read;
    const { id, accountId, status } = current;
    if (status === 'SUCCEEDED') return status;
    const newStatus: TopUp['status'] = 'SUCCEEDED';
    const { now } = wallet;
    const firstPaidAt = knownCard?.firstPaidAt ?? now;
    const isClosing = deletion !== undefined && hasBegun(deletion);
    if (signature !== undefined && !knownCard && !isClosing) {
      wallet.add(create(KnownCard, { accountId, signature, firstPaidAt }, concurrentUpdate));
    }
    const newCardHolds = holdsAfter(wallet.account, { amountCents, firstPaidAt, now });
    const heldUntil = holdEnd(firstPaidAt);
    const settled = { set: { status: newStatus }, when: { status: { is: status } } };
    wallet.move('TOPUP', amountCents, `Card payment ${id}`);
    // The part that covers a negative balance is not refunded.
    if (deletion) wallet.add(addToRefund(deletion, Math.max(0, Math.min(amountCents, wallet.balanceCents))));
    wallet.add(
      change(
        TopUp,
        { id },
        // Withheld money is due again at the end of its hold, to pay the invoices that it could not pay.
        heldUntil > now
          ? { ...settled, set: { ...settled.set, ...schedule(TopUp, heldUntil) } }
          : { ...settled, remove: unschedule(TopUp) },
        concurrentUpdate,
      ),
      emit(deps, accountId, 'payment.succeeded', { paymentId: id, amount: formatRand(amountCents) }),
    );
    return await deps.commit(
      wallet.writes({
        // A deleted account must not store the cardholder's data again.
        set: isClosing ? {} : { newCardHolds, ...(card ? { card } : {}) },
        remove: ['noAutoTopUpBefore', ...endTopUp(wallet.account, id)],
      }),
      newStatus,
      wallet.audited('top-up.succeeded', id, { amount: formatRand(amountCents), status: newStatus }, { status }),
    );
  });

const endTopUp = ({ autoTopUpId }: Account, id: string) => (autoTopUpId === id ? ['autoTopUpId'] : []);

/**
 * Returns the change that ends an automatic top-up that was cancelled. If its card was never charged, it does not count towards the daily
 * limits. Its history entry is the last, because an account has one automatic top-up at a time.
 */
const endUncharged = ({ autoTopUpId, autoTopUpHistory = [] }: Account, { id, chargedAt }: TopUp) => {
  if (autoTopUpId !== id) return {};
  const set = chargedAt === undefined ? { autoTopUpHistory: autoTopUpHistory.slice(0, -1) } : {};
  return { set, remove: ['autoTopUpId'], when: { autoTopUpId: { is: id } } };
};

/** Minimum time between the refusal of a card and the next automatic charge, in milliseconds. */
const CARD_RETRY_DELAY_MS = DAY_MS;

/**
 * Ends a top-up without a payment.
 *
 * @param isCancelled true if no card was charged, so that the payment has not failed
 */
const fail = (deps: Deps, topUp: TopUp, { isCancelled = false } = {}) =>
  withWallet(deps, topUp.accountId, rereadTopUp(deps, topUp), async (wallet, current) => {
    const { id, accountId, amountCents, status, chargedAt } = current;
    // A concurrent run may have begun to charge the card. Its result then decides.
    if (status !== 'PENDING' || (isCancelled && chargedAt !== topUp.chargedAt)) return status;
    const newStatus: TopUp['status'] = 'FAILED';
    const noAutoTopUpBefore = timestampAfter(deps.now(), CARD_RETRY_DELAY_MS);
    const isRetried = topUp.automatic && !isCancelled;
    // Stays scheduled: the payment may still be made with another card, or arrive late. An automatic top-up is checked once more, a
    // day later.
    const set = { status: newStatus, ...(isRetried && schedule(TopUp, noAutoTopUpBefore)) };
    const when = { status: { is: status }, chargedAt: unchanged(chargedAt) };
    wallet.add(change(TopUp, { id }, { set, when }, concurrentUpdate));
    const audited = wallet.audited(
      'top-up.failed',
      id,
      { amount: formatRand(amountCents), status: newStatus },
      { status },
    );
    if (isCancelled) return await deps.commit(wallet.writes(endUncharged(wallet.account, current)), newStatus, audited);
    wallet.add(emit(deps, accountId, 'payment.failed', { paymentId: id, amount: formatRand(amountCents) }));
    const ended = topUp.automatic ? { set: { noAutoTopUpBefore }, remove: endTopUp(wallet.account, id) } : {};
    return await deps.commit(wallet.writes(ended), newStatus, audited);
  });
