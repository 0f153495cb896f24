import { beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '../../contract/errors.ts';
import { accountRules } from '../../events/accounts.ts';
import { billingRules } from '../../events/billing.ts';
import { consume } from '../../events/consume.ts';
import { AiAccount } from '../../table/entities/ai.ts';
import { Invoice, Subscription, TopUp, WalletTransaction } from '../../table/entities/billing.ts';
import { expectLedgerInvariants } from '../../test/simulation/billing.ts';
import { CARD, cardSimulation, RAND } from '../../test/simulation/card-payments.ts';
import { jobsOf } from '../../test/simulation/jobs.ts';
import { type FaultPlan, type Interruption, interruptEach } from '../../test/simulation/simulation.ts';
import { CENT_MICRO_RAND } from '../ai/prices.ts';
import { buyCredits } from '../ai/purchases.ts';
import { setSuspension } from '../processes/suspension.ts';
import { sweep } from '../sweep/sweep.ts';
import { considerAutoTopUp, setAutoTopUp } from './auto-top-up.ts';
import { issueInvoice } from './invoices.ts';
import { subscriptionQueue } from './lifecycle.ts';
import { receivePayment } from './payment-callbacks.ts';
import { currentPlans } from './plans.ts';
import { cancelSubscription, createSubscription } from './subscriptions.ts';
import { topUpQueue } from './top-up-queue.ts';
import { chargeTopUp } from './top-ups.ts';
import { cancelInvoice, payOnRequest } from './unpaid-invoices.ts';
import { readNothing, Wallet, withWallet } from './wallet.ts';

/** Each operation that moves or freezes money, interrupted before each of its writes and charges by each other operation. */

const DAY_MS = 86_400_000;
const HOSTING = { plan: 'web-starter', billingCycle: 'MONTHLY', hostingDomain: 'example.co.za' } as const;

type Process = ReturnType<Awaited<ReturnType<typeof cardSimulation>>['startProcess']>;
type Deps = ReturnType<typeof withPlans>;

/** Adds what a purchase of a plan needs to the dependencies of a process. */
const withPlans = (deps: Process) => ({
  ...deps,
  plans: currentPlans(deps),
  txt: { at: async () => [] },
  tlds: async () => [],
});

/** An account of which each operation can change something. Its balance covers neither its unpaid order nor its automatic top-up's threshold. */
async function world() {
  const run = await cardSimulation({ walletCents: 60 * RAND });
  const { accountId, clock, memory, payIn, tellDispute, setAccount, settings, line } = run;
  const startProcess = (faults?: FaultPlan) => withPlans(run.startProcess(faults ? { faults } : {}));
  const deps = startProcess();
  const order = (by: Deps, rand: number) =>
    withWallet(by, accountId, readNothing, async (wallet) => {
      const invoice = issueInvoice(by, wallet, { kind: 'DOMAIN', lines: [line(rand)], countsAsOrder: true });
      return await by.commit(wallet.writes(), invoice);
    });
  const settled = await payIn(50);
  const disputed = await payIn(30);
  await tellDispute(disputed, 30, 'OPEN', 'd1');
  let decision: { status: 'WON' | 'LOST'; rand: number } | undefined;
  /** The bank decides once. */
  const closeDispute = (status: 'WON' | 'LOST', by: Deps) => {
    decision ??= { status, rand: status === 'LOST' ? 20 : 30 };
    return tellDispute(disputed, decision.rand, decision.status, 'd1', by);
  };
  const paid = await order(deps, 20);
  const { id: plan } = (await createSubscription(deps, { accountId }, HOSTING)).data;
  clock.now += 25 * DAY_MS;
  const unpaid = await order(deps, 100);
  const open = await payIn(70, undefined, { callback: false });
  await setAccount({ card: CARD });
  await settings('90.00', { threshold: '40.00' });
  let at = memory.records.length;
  /** The stream processes what has changed. */
  const flow = async () => {
    while (at < memory.records.length) {
      const Records = memory.records.slice(at);
      at = memory.records.length;
      const { 'account.pay-unpaid-invoices-after-suspension': paying } = accountRules(deps);
      await consume({ ...billingRules({ ...deps, ...jobsOf(deps) }), ...(paying && { paying }) })({ Records });
    }
  };
  const caller = { accountId, keyId: '' };
  return { ...run, deps, startProcess, caller, order, settled, closeDispute, paid, unpaid, open, plan, flow };
}
type World = Awaited<ReturnType<typeof world>>;

const OPERATIONS: Readonly<Record<string, (world: World, deps: Deps) => Promise<unknown>>> = {
  'a payment arrives': ({ open }, deps) => receivePayment(deps, { reference: open }),
  'an order is placed': ({ order }, deps) => order(deps, 10),
  'an order is paid': ({ caller, unpaid }, deps) => payOnRequest(deps, caller, unpaid),
  'an unpaid order is voided': ({ accountId, unpaid }, deps) => cancelInvoice(deps, accountId, unpaid.id),
  'a paid order is voided': ({ accountId, paid }, deps) => cancelInvoice(deps, accountId, paid.id),
  'a payment is disputed': ({ tellDispute, settled }, deps) => tellDispute(settled, 50, 'OPEN', 'd2', deps),
  'a dispute is won': ({ closeDispute }, deps) => closeDispute('WON', deps),
  'a dispute is lost in part': ({ closeDispute }, deps) => closeDispute('LOST', deps),
  'the card is charged': async ({ accountId, account }, deps) => {
    await considerAutoTopUp(deps, accountId);
    const { autoTopUpId } = await account();
    if (autoTopUpId) await chargeTopUp(deps, autoTopUpId);
  },
  'automatic top-ups end': ({ caller }, deps) => setAutoTopUp(deps, caller, { enabled: false }),
  'AI credits are bought': ({ caller }, deps) => buyCredits(deps, caller, { amount: '15.00' }),
  'the plan is renewed': async (_, deps) => expect((await sweep(deps, subscriptionQueue)).failed).toEqual([]),
  'the plan is cancelled': ({ caller, plan }, deps) => cancelSubscription(deps, caller, { id: plan }),
  'the account is suspended': ({ accountId }, deps) => setSuspension(deps, { accountId, reason: 'Spam' }),
};

/** Runs an operation, which others may make impossible. */
async function perform(name: string, here: World, deps: Deps): Promise<void> {
  try {
    await OPERATIONS[name]?.(here, deps);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

/** Does something else before the `nth` (from 1) of a process's writes and charges. */
function beforeWrite(nth: number, work: () => Promise<unknown>): FaultPlan {
  let writes = 0;
  return async ({ what, when }) => {
    if (when === 'after' || !/Write|Update|charge/.test(what)) return undefined;
    writes += 1;
    if (writes === nth) await work();
    return undefined;
  };
}

/** Runs the stream and the schedule. Then the account, its invoices, payments, disputes, plan and credits must agree with its ledger. */
async function expectSettled({ memory, clock, deps, received, account, accountId, plan, flow }: World, what: string) {
  await flow();
  clock.now += 3 * 60_000;
  expect((await sweep(deps, topUpQueue)).failed, what).toEqual([]);
  await flow();
  expectLedgerInvariants(memory);
  const now = await account();
  const ledger = memory.items('WALLET_TRANSACTION').map((item) => WalletTransaction.parse(item));
  const booked = (about: string) => ledger.flatMap((entry) => (entry.description === about ? [entry.amountCents] : []));
  const disputes = memory.items('DISPUTE').map(({ status, amountCents }) => ({ status, cents: Number(amountCents) }));
  const frozen = disputes.reduce((sum, { status, cents }) => sum + (status === 'OPEN' ? cents : 0), 0);
  expect(now.frozenCents ?? 0, `${what}: frozen`).toBe(frozen);
  const takenBack = disputes.flatMap(({ status, cents }) => (status === 'LOST' ? [-cents] : []));
  const taken = ledger.filter(({ description }) => description.startsWith('Disputed'));
  expect(
    taken.map(({ amountCents }) => amountCents),
    `${what}: taken back`,
  ).toEqual(takenBack);
  for (const { id, status, automatic, chargedAt } of memory.items('TOP_UP').map((item) => TopUp.parse(item))) {
    const payment = received.get(id.replace('_', '-'));
    expect(booked(`Card payment ${id}`), `${what}: ${id}`).toEqual(payment ? [payment.amountCents] : []);
    expect([status === 'SUCCEEDED', automatic && chargedAt !== undefined], what).toEqual([
      !!payment,
      automatic && !!payment,
    ]);
    expect(now.autoTopUpId === id, `${what}: the running top-up`).toBe(automatic && status === 'PENDING');
  }
  const invoices = memory.items('INVOICE').map((item) => Invoice.parse(item));
  const orders = invoices.filter(({ status, countsAsOrder }) => status === 'UNPAID' && countsAsOrder);
  expect(now.unpaidOrderCount ?? 0, `${what}: unpaid orders`).toBe(orders.length);
  const wallet = new Wallet(now, undefined, deps.now().toISOString());
  for (const { number, status, kind, amountCents, countsAsOrder } of invoices) {
    const [paid, refunded] = [booked(`Payment of ${number}`).length, booked(`Refund of ${number}`).length];
    expect([paid - refunded, paid <= 1], `${what}: ${number}`).toEqual([status === 'PAID' ? 1 : 0, true]);
    if (status !== 'UNPAID' || (countsAsOrder && now.suspension)) continue;
    expect(wallet.refusalOf(kind, amountCents), `${what}: ${number} is unpaid`).toBeDefined();
  }
  const { currentPeriodEnd, renewal } = Subscription.parse(memory.items('SUBSCRIPTION')[0]);
  const periods = invoices.filter(({ subjectId, status }) => subjectId === plan && status === 'PAID').length;
  expect(currentPeriodEnd.slice(0, 7), `${what}: ${periods} paid periods`).toBe(`2026-0${1 + periods}`);
  const open = invoices.filter(({ subjectId, status }) => subjectId === plan && status === 'UNPAID');
  expect(
    open.map(({ id }) => id),
    `${what}: the open renewal`,
  ).toEqual(renewal ? [renewal.invoiceId] : []);
  const bought = invoices.reduce((sum, { kind, amountCents }) => sum + (kind === 'AI_CREDITS' ? amountCents : 0), 0);
  const credits = await deps.table.get(AiAccount, { accountId });
  expect(credits?.balanceMicroRand ?? 0, `${what}: AI credits`).toBe(bought * CENT_MICRO_RAND);
}

// Retries after conflicts do not wait.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0));

test.each(Object.keys(OPERATIONS))(
  '%s while any other operation happens: the account equals its ledger',
  async (name) => {
    for (const other of Object.keys(OPERATIONS)) {
      const trial = async (interruption: Interruption) => {
        const here = await world();
        const faults = interruption.by(() => perform(other, here, here.deps));
        await perform(name, here, here.startProcess(faults));
        if (interruption.isReached) await expectSettled(here, `${other} before write ${interruption.step}`);
      };
      await interruptEach(trial, { planAt: beforeWrite });
    }
  },
);
