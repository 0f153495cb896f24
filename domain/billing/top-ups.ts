import type {
  createTopUp as CreateRoute,
  getTopUp as GetRoute,
  receivePayment as ReceiveRoute,
} from '../../contract/billing/top-ups.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/route.ts';
import { Forged, type Payment, type Payments, PaymentsFailure } from '../../providers/payments/payments.ts';
import { TopUp } from '../../table/entities/billing.ts';
import { Account } from '../../table/entities.ts';
import { splitKey } from '../../table/keys.ts';
import { change, create } from '../../table/writes.ts';
import type { Caller, Deps } from '../deps.ts';
import { emit } from '../webhooks/events.ts';
import { centsOf, rand } from './money.ts';
import { Stale, stale, withWallet } from './wallet.ts';

export type PaymentDeps = Deps & { payments: Payments };

/** The processor is asked by itself this long after the start and ever more rarely, in milliseconds: callbacks get lost. */
const FIRST_LOOK = 60_000;
/** A page that nobody has paid on for a day is closed, in milliseconds. What is paid on it later still counts. */
const OPEN_FOR = 24 * 3600_000;

const after = (time: number, milliseconds: number) => new Date(time + milliseconds).toISOString();

/** A payment's name at the processor, which takes no underscore. */
const referenceOf = (id: string) => id.replace('_', '-');
const idOf = (reference: string) => reference.replace('-', '_');

/** A top-up that is to be written; until it is settled the processor is asked about it again and again. */
export function newTopUp(deps: Deps, of: Pick<TopUp, 'accountId' | 'amountCents' | 'automatic'>): TopUp {
  const now = deps.now();
  const times = { createdAt: now.toISOString(), askAt: after(now.getTime(), FIRST_LOOK) };
  return { ...of, id: deps.newId('pay'), status: 'PENDING', ...times };
}

/** What the processor's failures mean to a caller. */
const processorAway = (error: unknown): never => {
  if (!(error instanceof PaymentsFailure)) throw error;
  throw new ApiError('server_error', 'The payment processor does not answer. It is safe to retry.', { status: 502 });
};

/** POST /dashboard/v1/wallet/topups: a page of the processor's where the money is paid. Throws 502. */
export async function createTopUp(
  deps: PaymentDeps,
  { accountId }: Caller,
  { amount }: Input<typeof CreateRoute>,
): Promise<Output<typeof CreateRoute>> {
  const account = await deps.table.get(Account, { id: accountId });
  if (!account) throw new ApiError('not_found');
  const topUp = newTopUp(deps, { accountId, amountCents: centsOf(amount), automatic: false });
  const { id, status, amountCents } = topUp;
  // Before it is written: a page that nobody was told of is paid by nobody.
  const paymentUrl = await deps.payments
    .begin({
      ...{ reference: referenceOf(id), amountCents, email: account.email },
      returnTo: `${deps.settings.publicUrl}/dashboard/billing?payment=${id}`,
    })
    .catch(processorAway);
  return await deps.commit([create(TopUp, topUp)], {
    data: { paymentId: id, amount: rand(amountCents), status, paymentUrl },
  });
}

/** GET /dashboard/v1/wallet/topups/{id}. Throws 404. */
export async function getTopUp(
  deps: Deps,
  { accountId }: Caller,
  { id }: Input<typeof GetRoute>,
): Promise<Output<typeof GetRoute>> {
  const topUp = await deps.table.get(TopUp, { id });
  if (topUp?.accountId !== accountId) throw new ApiError('not_found', 'There is no such payment.');
  return { data: { paymentId: id, amount: rand(topUp.amountCents), status: topUp.status } };
}

/**
 * Asks the processor what has become of a payment and writes it down, once, however often and in whatever order it is
 * asked. What counts is what the processor has received, not what a callback says or was asked for.
 */
export async function settleTopUp(deps: PaymentDeps, id: string): Promise<TopUp['status'] | undefined> {
  const topUp = await deps.table.get(TopUp, { id });
  if (!topUp || topUp.status === 'SUCCEEDED') return topUp?.status;
  const payment = (await deps.payments.find(referenceOf(id))) ?? (await chargeSavedCard(deps, topUp));
  if (payment?.status === 'SUCCEEDED') return await credit(deps, topUp, payment);
  const closed = Date.parse(topUp.createdAt) + OPEN_FOR <= deps.now().getTime();
  if (payment?.status === 'FAILED' || closed) return await fail(deps, topUp);
  return topUp.status;
}

/** Has a saved card charged. Where the processor is away the schedule asks again, and the stream need not wait. */
export async function chargeTopUp(deps: PaymentDeps, id: string): Promise<void> {
  await settleTopUp(deps, id).catch((error) => {
    if (!(error instanceof PaymentsFailure)) throw error;
  });
}

/** An automatic top-up that the processor has never heard of: the card is charged. */
async function chargeSavedCard(deps: PaymentDeps, { id, accountId, amountCents, automatic }: TopUp) {
  const account = automatic ? await deps.table.get(Account, { id: accountId }) : undefined;
  if (!account?.card) return undefined;
  await deps.payments.charge({ ...account.card, reference: referenceOf(id), amountCents });
  return await deps.payments.find(referenceOf(id));
}

const readAgain =
  (deps: Deps, { id }: TopUp) =>
  async (): Promise<TopUp> => {
    const found = await deps.table.get(TopUp, { id });
    if (!found) throw new Error(`the top-up ${id} is gone`);
    return found;
  };

const NO_LONGER_OPEN = ['askAt', 'duePk', 'dueAt'];

const credit = (deps: Deps, topUp: TopUp, { amountCents, card }: Payment) =>
  withWallet(deps, topUp.accountId, readAgain(deps, topUp), async (wallet, { id, accountId, status }) => {
    if (status === 'SUCCEEDED') return status;
    const done: TopUp['status'] = 'SUCCEEDED';
    wallet.move('TOPUP', amountCents, `Card payment ${id}`);
    wallet.add(
      change(TopUp, { id }, { set: { status: done }, remove: NO_LONGER_OPEN, when: { status: { is: status } } }, stale),
      emit(deps, accountId, 'payment.succeeded', { paymentId: id, amount: rand(amountCents) }),
    );
    const saved = card ? { set: { card } } : {};
    return await deps.commit(
      wallet.writes({ ...saved, remove: ['noAutoTopUpBefore', ...ended(wallet.account, id)] }),
      done,
    );
  });

const ended = ({ autoTopUpId }: Account, id: string) => (autoTopUpId === id ? ['autoTopUpId'] : []);

/** After a refused card, in milliseconds: it is not asked again sooner. */
const REST = 24 * 3600_000;

const fail = (deps: Deps, topUp: TopUp) =>
  withWallet(deps, topUp.accountId, readAgain(deps, topUp), async (wallet, { id, accountId, amountCents, status }) => {
    if (status !== 'PENDING') return status;
    const done: TopUp['status'] = 'FAILED';
    wallet.add(
      // It stays on the list: the same payment may still be made, with another card.
      change(TopUp, { id }, { set: { status: done }, when: { status: { is: status } } }, stale),
      emit(deps, accountId, 'payment.failed', { paymentId: id, amount: rand(amountCents) }),
    );
    const noAutoTopUpBefore = after(deps.now().getTime(), REST);
    const rest = topUp.automatic ? { set: { noAutoTopUpBefore }, remove: ended(wallet.account, id) } : {};
    return await deps.commit(wallet.writes(rest), done);
  });

interface Callback {
  /** Undefined for news that are not about a payment. */
  reference: string | undefined;
}

/** What a callback is about. Throws 401 where the processor did not sign it. */
export async function identifyCallback(
  { payments }: PaymentDeps,
  _input: object,
  { headers, body }: { headers: Record<string, string | undefined>; body: Buffer },
): Promise<Callback> {
  try {
    return { reference: payments.readCallback(body, headers['x-paystack-signature']) };
  } catch (error) {
    if (!(error instanceof Forged)) throw error;
    throw new ApiError('unauthorized', 'The payment processor did not sign this.');
  }
}

/**
 * POST /hooks/payments, once it is known to be genuine: a payment of ours is looked into. Anything else is acknowledged, so
 * that it is not sent again.
 */
export async function receivePayment(
  deps: PaymentDeps,
  { reference }: Callback,
): Promise<{ status: number; output: Output<typeof ReceiveRoute> }> {
  const status = reference === undefined ? undefined : await settleTopUp(deps, idOf(reference)).catch(processorAway);
  return { status: 200, output: { data: { settled: status === 'SUCCEEDED' || status === 'FAILED' } } };
}

/** How many one run looks at. */
const BATCH = 50;

/** When the processor is asked again about a payment that is not settled, or that it is not asked any more. */
async function askLater(deps: Deps, id: string): Promise<boolean> {
  const topUp = await deps.table.get(TopUp, { id });
  if (!topUp?.askAt) return false;
  const now = deps.now().getTime();
  const age = now - Date.parse(topUp.createdAt);
  const askAt = after(now, Math.max(FIRST_LOOK, age));
  const what = age >= OPEN_FOR ? { remove: NO_LONGER_OPEN } : { set: { askAt, dueAt: askAt } };
  // Whoever settles it meanwhile takes it off the list.
  const write = change(TopUp, { id }, { ...what, when: { status: { is: topUp.status } } }, stale);
  await deps.table.touch(write).catch((error) => {
    if (!(error instanceof Stale)) throw error;
  });
  return true;
}

/**
 * Asks the processor about payments that are open: their callbacks may be lost, and of failures there are none. One that
 * cannot be read does not keep the others from being looked into; then it throws in the end.
 * @returns how many were settled
 */
export async function lookIntoTopUps(deps: PaymentDeps): Promise<number> {
  const failures: unknown[] = [];
  let settled = 0;
  for (const { pk } of await deps.table.due('TOP_UP', deps.now().toISOString(), BATCH)) {
    const [, id = ''] = splitKey(pk);
    await settleTopUp(deps, id).catch((error: unknown) => failures.push(error));
    if (!(await askLater(deps, id))) settled += 1;
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} payments could not be looked into`);
  return settled;
}
