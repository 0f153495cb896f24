import type { createTopUp as CreateRoute, getTopUp as GetRoute } from '../../contract/billing/top-ups.ts';
import { ApiError } from '../../contract/errors.ts';
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
import { ConcurrentUpdateError, concurrentUpdate } from '../conflict.ts';
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
 * Delay of the first check with the payment provider, in milliseconds; later checks are ever rarer. Checks are needed
 * because callbacks get lost.
 */
export const FIRST_CHECK_DELAY_MS = 60_000;
/** Time after which an unpaid payment page is closed, in milliseconds. A later payment on it still counts. */
export const PAYMENT_PAGE_LIFETIME_MS = DAY_MS;

/** A payment's name at the processor, which takes no underscore. */
const paymentReference = (id: string) => id.replace('_', '-');
/** Returns the id of the top-up that has this name at the processor. */
export const topUpId = (reference: string) => reference.replace('-', '_');

/** A top-up that is to be written; until it is settled the processor is asked about it again and again. */
export function newTopUp(deps: Deps, of: Pick<TopUp, 'accountId' | 'amountCents' | 'automatic'>): TopUp {
  const now = deps.now();
  const times = { createdAt: now.toISOString(), dueAt: timestampAfter(now, FIRST_CHECK_DELAY_MS) };
  return { ...of, id: deps.newId('pay'), status: 'PENDING', ...times };
}

/** Converts failures of the payment provider to errors of the caller. */
export const paymentProviderUnavailable = (error: unknown): never => {
  if (!(error instanceof PaymentProviderError)) throw error;
  if (error instanceof PaymentsNotConfigured)
    throw new ApiError('server_error', 'Card payments are not set up yet.', { status: 503 });
  const message = 'The payment processor does not answer. It is safe to retry.';
  throw new ApiError('server_error', message, { status: 502, cause: error });
};

/**
 * POST /dashboard/v1/wallet/topups: a page of the processor's where the money is paid. Throws 502, 429 where the account began as many
 * today as it may.
 */
export async function createTopUp(
  deps: PaymentDeps,
  { accountId }: Caller,
  { amount }: Input<typeof CreateRoute>,
): Promise<Output<typeof CreateRoute>> {
  const account = await findAccount(deps, accountId);
  const topUp = newTopUp(deps, { accountId, amountCents: parseCents(amount), automatic: false });
  const { id, status, amountCents } = topUp;
  // Before the top-up is stored: a page that the caller has not received cannot be paid.
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
 * Asks the processor what has become of a payment and writes it down, once, however often and in whatever order it is
 * asked. What counts is what the processor has received, not what a callback says or was asked for.
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
  const closed = Date.parse(topUp.createdAt) + PAYMENT_PAGE_LIFETIME_MS <= deps.now().getTime();
  // A page that was never paid on is no payment that failed.
  if (closed) return await fail(deps, topUp, { isCancelled: !topUp.automatic });
  return topUp.status;
}

/** Has a saved card charged. Where the processor is away the schedule asks again, and the queue need not. */
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
 * Returns true if an automatic top-up may still charge the card: the owner has it enabled with this amount now, however long
 * ago it began, and the account is neither suspended nor will be deleted. Such a change comes either before this transaction, and
 * then nothing is charged, or after it.
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
  try {
    await deps.table.transact([
      change(TopUp, { id }, charged, concurrentUpdate),
      check(Account, { id: accountId }, isEnabled, concurrentUpdate),
    ]);
    return true;
  } catch (error) {
    if (!(error instanceof ConcurrentUpdateError)) throw error;
    return false;
  }
}

/** An automatic top-up that the processor has never heard of: the card is charged. `REFUSED` where it cannot be. */
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
    const found = await deps.table.get(TopUp, { id });
    if (!found) throw new Error(`the top-up ${id} is gone`);
    return found;
  };

/** Returns the payment's top-up, the card if it has paid into the account before, and the account's deletion once it has begun. */
const readCredit = (deps: Deps, topUp: TopUp, signature: string | undefined) => async () => {
  const { accountId } = topUp;
  const [found, knownCard, deletion] = await Promise.all([
    rereadTopUp(deps, topUp)(),
    signature === undefined ? undefined : deps.table.get(KnownCard, { accountId, signature }),
    deps.table.get(AccountDeletion, { accountId }),
  ]);
  return { found, knownCard, deletion: deletion && isUnderWay(deletion) ? deletion : undefined };
};
const isUnderWay = ({ status }: AccountDeletion) => status === 'RUNNING' || status === 'DELETED';

/** Returns the write by which money that arrives after the end of a deletion is in its refund, which holds what arrives before. */
function addToRefund({ accountId, status }: AccountDeletion, amountCents: number): Write {
  const when = { status: { is: status } };
  return status === 'RUNNING'
    ? check(AccountDeletion, { accountId }, when, concurrentUpdate)
    : change(AccountDeletion, { accountId }, { add: { refundCents: amountCents }, when }, concurrentUpdate);
}

const credit = (deps: Deps, topUp: TopUp, { amountCents, card, signature }: Payment) =>
  withWallet(deps, topUp.accountId, readCredit(deps, topUp, signature), async (wallet, { found, ...read }) => {
    const { id, accountId, status } = found;
    if (status === 'SUCCEEDED') return status;
    const done: TopUp['status'] = 'SUCCEEDED';
    const { now } = wallet;
    const { knownCard, deletion } = read;
    const firstPaidAt = knownCard?.firstPaidAt ?? now;
    if (signature !== undefined && !knownCard && !deletion) {
      wallet.add(create(KnownCard, { accountId, signature, firstPaidAt }, concurrentUpdate));
    }
    const newCardHolds = holdsAfter(wallet.account, { amountCents, firstPaidAt, now });
    const until = holdEnd(firstPaidAt);
    const settled = { set: { status: done }, when: { status: { is: status } } };
    wallet.move('TOPUP', amountCents, `Card payment ${id}`);
    // What a debt takes is not owed.
    if (deletion) wallet.add(addToRefund(deletion, Math.max(0, Math.min(amountCents, wallet.balanceCents))));
    wallet.add(
      change(
        TopUp,
        { id },
        // Money that is withheld is due once more, to pay what it did not.
        until > now
          ? { ...settled, set: { ...settled.set, ...schedule(TopUp, until) } }
          : { ...settled, remove: unschedule(TopUp) },
        concurrentUpdate,
      ),
      emit(deps, accountId, 'payment.succeeded', { paymentId: id, amount: formatRand(amountCents) }),
    );
    return await deps.commit(
      wallet.writes({
        // Whose card it is must not be told again by an account that is deleted.
        set: deletion ? {} : { newCardHolds, ...(card ? { card } : {}) },
        remove: ['noAutoTopUpBefore', ...endTopUp(wallet.account, id)],
      }),
      done,
      wallet.audited('top-up.succeeded', id, { amount: formatRand(amountCents), status: done }, { status }),
    );
  });

const endTopUp = ({ autoTopUpId }: Account, id: string) => (autoTopUpId === id ? ['autoTopUpId'] : []);

/** Ends one whose card was never charged: it counts in no bound of a day. Its entry is the last, because one runs at a time. */
const endUncharged = ({ autoTopUpId, autoTopUpHistory = [] }: Account, { id, chargedAt }: TopUp) => {
  if (autoTopUpId !== id) return {};
  const set = chargedAt === undefined ? { autoTopUpHistory: autoTopUpHistory.slice(0, -1) } : {};
  return { set, remove: ['autoTopUpId'], when: { autoTopUpId: { is: id } } };
};

/** After a refused card, in milliseconds: it is not asked again sooner. */
const CARD_RETRY_DELAY_MS = DAY_MS;

/**
 * Ends a payment without money.
 *
 * @param isCancelled the card was not charged at all
 */
const fail = (deps: Deps, topUp: TopUp, { isCancelled = false } = {}) =>
  withWallet(deps, topUp.accountId, rereadTopUp(deps, topUp), async (wallet, found) => {
    const { id, accountId, amountCents, status, chargedAt } = found;
    // Another run may charge the card after all, which then says what becomes of it.
    if (status !== 'PENDING' || (isCancelled && chargedAt !== topUp.chargedAt)) return status;
    const done: TopUp['status'] = 'FAILED';
    const noAutoTopUpBefore = timestampAfter(deps.now(), CARD_RETRY_DELAY_MS);
    const isRetried = topUp.automatic && !isCancelled;
    // It stays on the list: the same payment may still be made, with another card, or arrive late. An automatic one is looked at
    // once more, a day later.
    const set = { status: done, ...(isRetried && schedule(TopUp, noAutoTopUpBefore)) };
    const when = { status: { is: status }, chargedAt: unchanged(chargedAt) };
    wallet.add(change(TopUp, { id }, { set, when }, concurrentUpdate));
    const audited = wallet.audited('top-up.failed', id, { amount: formatRand(amountCents), status: done }, { status });
    if (isCancelled) return await deps.commit(wallet.writes(endUncharged(wallet.account, found)), done, audited);
    wallet.add(emit(deps, accountId, 'payment.failed', { paymentId: id, amount: formatRand(amountCents) }));
    const rest = topUp.automatic ? { set: { noAutoTopUpBefore }, remove: endTopUp(wallet.account, id) } : {};
    return await deps.commit(wallet.writes(rest), done, audited);
  });
