import { expect, test } from 'vitest';
import { ApiError } from '../../contract/errors.ts';
import { billingRules } from '../../events/billing.ts';
import { selectChanges } from '../../events/consume.ts';
import type { Dispute, Payment, Payments } from '../../providers/payments/payments.ts';
import { Account } from '../../table/entities/accounts.ts';
import { Invoice, TopUp, WalletTransaction } from '../../table/entities/billing.ts';
import { change } from '../../table/writes.ts';
import { billingSimulation, expectLedgerInvariants } from '../../test/simulation/billing.ts';
import { jobsOf } from '../../test/simulation/jobs.ts';
import { noFaults, type ProcessOptions, SimulatedCrash, seededRandom } from '../../test/simulation/simulation.ts';
import { sweep } from '../sweep/sweep.ts';
import { issueInvoice, issuePaidInvoice } from './invoices.ts';
import { addVat } from './money.ts';
import { receivePayment } from './payment-callbacks.ts';
import { currentPlans } from './plans.ts';
import { cancelSubscription, createSubscription } from './subscriptions.ts';
import { topUpQueue } from './top-up-queue.ts';
import { createTopUp } from './top-ups.ts';
import { cancelInvoice, invoiceQueue, payOnRequest } from './unpaid-invoices.ts';
import { readNothing, withWallet } from './wallet.ts';

/**
 * Money under random interleavings: orders, card payments, repeated, late and lost callbacks, refunds, automatic top-ups,
 * plans, the stream and the schedule run concurrently, and each process may crash before or after any external call. No
 * money is ever lost or created.
 */
const INTERLEAVINGS = 600;
const AT_ONCE = 8;
const ACTIONS = 14;
/** Probability that a process crashes at one of the two moments of a call. */
const CRASH_RATE = 0.04;

/** Payment provider in memory: received payments by reference. */
function processor() {
  const received = new Map<string, Payment>();
  const disputes = new Map<string, Dispute>();
  const card = { authorization: 'AUTH_1', email: 'test@example.com', brand: 'visa', lastFour: '4081' };
  const pay = (reference: string, amountCents: number, status: Payment['status']) =>
    received.set(reference, {
      status,
      amountCents,
      card: status === 'SUCCEEDED' ? card : undefined,
      signature: 'SIG_1',
    });
  const payments: Payments = {
    begin: async ({ reference, amountCents }) => {
      pay(reference, amountCents, 'OPEN');
      return `https://pay.example.com/${reference}`;
    },
    find: async (reference) => received.get(reference),
    charge: async ({ reference, amountCents }) => {
      if (!received.has(reference)) pay(reference, amountCents, amountCents % 2 === 0 ? 'SUCCEEDED' : 'FAILED');
    },
    findDispute: async (id) => disputes.get(id),
    listDisputes: async () => [...disputes.values()],
    readCallback: async () => ({}),
  };
  return { received, disputes, pay, payments };
}

async function interleave(seed: number) {
  const random = seededRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  let crashes = 0;
  const run = billingSimulation({
    faults: async () => {
      for (let turns = below(2); turns > 0; turns -= 1) await new Promise((done) => setImmediate(done));
      if (random() > CRASH_RATE) return undefined;
      crashes += 1;
      return 'crash';
    },
  });
  const { received, disputes, pay, payments } = processor();
  const startProcess = (options?: ProcessOptions) => {
    const { deps, port } = run.startProcess(options);
    return {
      ...deps,
      payments: port('payments', payments),
      plans: currentPlans(deps),
      txt: { at: async () => [] },
      tlds: async () => [],
      reportDispute: () => {},
    };
  };

  const accounts = [await run.open(below(30_000)), await run.open(0)];
  for (const id of accounts) {
    const autoTopUp = { enabled: random() < 0.5, thresholdCents: below(5000), amountCents: 1000 + below(5000) };
    await run.deps.table.write(Account, change(Account, { id }, { set: { autoTopUp } }));
  }
  const account = () => accounts[below(accounts.length)] ?? '';
  const anyInvoice = (accountId: string) => {
    const own = run.memory.items('INVOICE').filter((item) => item.accountId === accountId);
    return String(own[below(own.length)]?.id ?? 'inv_none');
  };
  const line = () => ({ description: 'Something', ...addVat(1 + below(9000)) });
  const callerOf = (accountId: string) => ({ accountId, keyId: '' });

  type Deps = ReturnType<typeof startProcess>;
  const order = (issue: typeof issueInvoice) => (deps: Deps) =>
    withWallet(deps, account(), readNothing, async (wallet) => {
      issue(deps, wallet, { kind: 'DOMAIN', lines: [line(), line()].slice(below(2)), voidAt: wallet.now });
      await deps.commit(wallet.writes(), undefined);
    });
  const payByCard = async (deps: Deps) => {
    const amount = `${10 + below(90)}.00`;
    const { paymentId } = (await createTopUp(deps, callerOf(account()), { amount })).data;
    const reference = paymentId.replace('_', '-');
    if (random() < 0.2) await receivePayment(deps, { reference });
    if (random() < 0.3) pay(reference, Number(amount) * 100, 'FAILED');
    if (random() < 0.3) await receivePayment(deps, { reference });
    if (random() < 0.9) pay(reference, random() < 0.2 ? 100 + below(9000) : Number(amount) * 100, 'SUCCEEDED');
    const callbacks = Array.from({ length: below(4) }, () => receivePayment(startProcess(), { reference }));
    await Promise.allSettled(callbacks);
  };
  /** A cardholder disputes a payment, spent or not. The bank decides, or has not decided yet. */
  const dispute = async () => {
    const paid = [...received].filter(([, { status }]) => status === 'SUCCEEDED');
    const [reference, payment] = paid[below(paid.length)] ?? [];
    if (!reference || !payment || disputes.has(reference)) return;
    const decision = (['OPEN', 'WON', 'LOST'] as const)[below(3)] ?? 'OPEN';
    for (const status of ['OPEN', decision] as const) {
      disputes.set(reference, { id: reference, reference, amountCents: payment.amountCents, status });
      const callbacks = Array.from({ length: below(3) }, () =>
        receivePayment(startProcess(), { disputeId: reference }),
      );
      await Promise.allSettled(callbacks);
    }
  };
  const plan = async (deps: Deps) => {
    const accountId = account();
    const bought = { plan: 'email-basic', billingCycle: 'MONTHLY' as const, hostingDomain: `${below(3)}.example.com` };
    const { id } = (await createSubscription(deps, { accountId }, bought)).data;
    if (random() < 0.4) await cancelSubscription(deps, callerOf(accountId), { id });
  };
  let streamAt = 0;
  const stream = async (deps: Deps) => {
    const Records = run.memory.records.slice(streamAt);
    const upTo = run.memory.records.length;
    // Not `consume`: the library collects the failures of concurrent batches in one list.
    for (const work of selectChanges(billingRules({ ...deps, ...jobsOf(deps) }))(Records))
      for (const rule of work.rules) await work.act(rule);
    streamAt = Math.max(streamAt, upTo);
  };
  const reconcileTopUps = (deps: Deps) => sweep({ ...deps, payments }, topUpQueue);
  const voidOverdue = (deps: Deps) => sweep(deps, invoiceQueue);
  const actions: ((deps: Deps) => Promise<unknown>)[] = [
    order(issueInvoice),
    order(issueInvoice),
    order(issuePaidInvoice),
    payByCard,
    payByCard,
    plan,
    dispute,
    (deps) => {
      const accountId = account();
      return payOnRequest(deps, callerOf(accountId), { id: anyInvoice(accountId) });
    },
    (deps) => {
      const accountId = account();
      return cancelInvoice(deps, accountId, anyInvoice(accountId));
    },
    stream,
    stream,
    reconcileTopUps,
    voidOverdue,
  ];

  /** Acts in a process that may crash. Errors of the API are not defects. */
  const actWithFaults = async (act: (deps: Deps) => Promise<unknown>) => {
    for (let turns = below(30); turns > 0; turns -= 1) await new Promise((done) => setImmediate(done));
    await act(startProcess()).catch((error: unknown) => {
      if (!(error instanceof SimulatedCrash || error instanceof ApiError)) throw error;
    });
  };
  await Promise.all(Array.from({ length: ACTIONS }, () => actWithFaults(actions[below(actions.length)] ?? stream)));

  // Without further faults, the schedule and the stream recover lost work.
  const deps = startProcess({ faults: noFaults });
  for (let minute = 0; minute < 3; minute += 1) {
    while (streamAt < run.memory.records.length) await stream(deps);
    run.clock.now += 10 * 60_000;
    await reconcileTopUps(deps);
  }
  while (streamAt < run.memory.records.length) await stream(deps);
  for (const disputeId of disputes.keys()) await receivePayment(deps, { disputeId });
  while (streamAt < run.memory.records.length) await stream(deps);

  expectLedgerInvariants(run.memory);
  const topUps = run.memory.items('TOP_UP').map((item) => TopUp.parse(item));
  const credited = run.memory
    .items('WALLET_TRANSACTION')
    .map((item) => WalletTransaction.parse(item))
    .filter(({ type }) => type === 'TOPUP');
  const sums = (all: { amountCents: number }[]) => all.map(({ amountCents }) => amountCents).sort((a, b) => a - b);
  const paid = [...received.values()].filter(({ status }) => status === 'SUCCEEDED');
  expect(sums(credited), 'what the processor has received is what wallets got').toEqual(sums(paid));
  for (const { id, status, automatic } of topUps) {
    const known = received.get(id.replace('_', '-'))?.status;
    // An automatic top-up that was not charged before a dispute ended them is cancelled.
    const uncharged = automatic ? ['PENDING', 'FAILED'] : ['PENDING'];
    expect(known === 'OPEN' || known === undefined ? uncharged : [known]).toContain(status);
  }
  const events = run.memory.items('EVENT').filter(({ type }) => type === 'payment.succeeded');
  expect(events).toHaveLength(paid.length);
  for (const id of accounts) {
    const { walletCents = 0, frozenCents = 0 } = (await deps.table.get(Account, { id })) ?? {};
    const balance = walletCents - frozenCents;
    const open = run.memory.items('DISPUTE').filter(({ accountId, status }) => accountId === id && status === 'OPEN');
    expect(frozenCents, 'what open disputes are about is frozen').toBe(
      open.reduce((sum, each) => sum + Number(each.amountCents), 0),
    );
    const unpaid = run.memory.items('INVOICE').map((item) => Invoice.parse(item));
    for (const { accountId, status, amountCents } of unpaid)
      if (accountId === id && status === 'UNPAID') expect(amountCents).toBeGreaterThan(balance);
  }
  return { crashes, calls: run.calls() };
}

test('wallets, ledgers, invoices and payments agree after any concurrent operations and crashes', async () => {
  const total = { crashes: 0, calls: 0 };
  for (let seed = 1; seed <= INTERLEAVINGS; seed += AT_ONCE) {
    const runs = Array.from({ length: AT_ONCE }, (_, index) => interleave(seed + index));
    for (const { crashes, calls } of await Promise.all(runs)) {
      total.crashes += crashes;
      total.calls += calls;
    }
  }
  expect(total.crashes).toBeGreaterThan(INTERLEAVINGS);
  console.log(`ledger: ${INTERLEAVINGS} random interleavings, ${total.calls} calls, ${total.crashes} crashes`);
}, 120_000);
