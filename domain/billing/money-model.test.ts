import { expect, test } from 'vitest';
import { ApiError } from '../../contract/errors.ts';
import type { Dispute, Payment } from '../../providers/payments/payments.ts';
import { Account } from '../../table/entities/accounts.ts';
import { Subscription, WalletTransaction } from '../../table/entities/billing.ts';
import { expectLedgerInvariants, withoutCards } from '../../test/simulation/billing.ts';
import { MoneyModel, type Offer, type Order, type PaymentStatus } from '../../test/simulation/money-model.ts';
import { seededRandom } from '../../test/simulation/simulation.ts';
import { advanceSubscriptions, subscriptionSimulation } from '../../test/simulation/subscriptions.ts';
import { setSuspension } from '../processes/suspension.ts';
import { adjustAccount } from './adjustments.ts';
import { receivePayment } from './payment-callbacks.ts';
import type { Plan } from './plans.ts';
import { cancelSubscription, createSubscription } from './subscriptions.ts';
import { createTopUp } from './top-ups.ts';
import { payOnRequest } from './unpaid-invoices.ts';

/**
 * Compares the platform with an independent model of its money (test/simulation/money-model.ts). Each seed is an account that buys,
 * cancels, pays, disputes and is suspended at random, mostly with too little money. After each operation, and each run of the
 * schedule, both must have the same balance, ledger, invoices, subscriptions, plan and events.
 */
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8, Math.floor(Math.random() * 2 ** 31)];
const DAY = 86_400_000;
const DURATION_MS = 600 * DAY;
/** Accounts begin at the end of a month or a year, or on a leap day: their periods have different lengths. */
const BEGINNINGS = ['2027-01-29', '2027-01-31', '2027-12-31', '2028-02-29'];
/** VAT of these prices ends in half a cent: 15% of R49.10 is R7.365. */
const OFFERS: readonly Offer[] = [
  { slug: 'app-3', category: 'APP', monthlyCents: 4910, yearlyCents: 49_110, appLimit: 3 },
  { slug: 'app-10', category: 'APP', monthlyCents: 14_930, yearlyCents: 149_310, appLimit: 10 },
  { slug: 'web-starter', category: 'WEB', monthlyCents: 3350, yearlyCents: 33_510, appLimit: 0 },
];
/** Amounts of card payments, often less than the account owes. */
const AMOUNTS = [1000, 5000, 20_000];

const iso = (time: number) => new Date(time).toISOString();

/** An account on the platform, with the operations of the model. The test controls the payment provider's responses. */
async function openPlatform(startAt: number) {
  const simulated = subscriptionSimulation();
  const { clock, memory, flow } = simulated;
  clock.now = startAt;
  const accountId = await simulated.open(0);
  const caller = { accountId, keyId: '' };
  const payments = new Map<string, Payment>();
  const disputes = new Map<string, Dispute>();
  let plans: Plan[] = [];
  const deps = {
    ...simulated.deps,
    plans: async () => plans,
    payments: {
      ...withoutCards,
      begin: async () => 'https://pay.example.com',
      find: async (reference: string) => payments.get(reference),
      findDispute: async (id: string) => disputes.get(id),
    },
    reportDispute: () => undefined,
  };
  const subscriptionIds: string[] = [];
  const references: string[] = [];
  const invoices = () => simulated.invoices().sort((a, b) => (a.number < b.number ? -1 : 1));
  const subscription = (index: number) => ({ id: subscriptionIds[index] ?? '' });
  const invoice = (index: number) => ({ id: invoices()[index]?.id ?? '' });
  const reference = (index: number) => references[index] ?? '';
  const adjust = (given: object) => adjustAccount(deps, { accountId, ...given });
  /** Callbacks are repeated, also at the same time. */
  const callBack = async (subject: { reference?: string; disputeId?: string }) =>
    await Promise.all([receivePayment(deps, subject), receivePayment(deps, subject)]);
  const reportDispute = async (dispute: Dispute) => {
    disputes.set(dispute.id, dispute);
    await callBack({ disputeId: dispute.id });
  };

  const operations = {
    async buy(order: Order, isGranted = false) {
      if (isGranted) subscriptionIds.push((await adjust({ grant: order })).subscriptionId ?? '');
      else subscriptionIds.push((await createSubscription(deps, caller, order)).data.id);
    },
    cancel: (index: number) => cancelSubscription(deps, caller, subscription(index)),
    payInvoice: (index: number) => payOnRequest(deps, caller, invoice(index)),
    voidInvoice: (index: number) => adjust({ voidInvoice: invoice(index) }),
    issueInvoice: (cents: number) => adjust({ invoice: { kind: 'PLAN', description: 'Migration', cents } }),
    adjustBalance: (amountCents: number) => adjust({ adjust: { amountCents, description: 'Correction' } }),
    async beginPayment() {
      const { paymentId } = (await createTopUp(deps, caller, { amount: '100.00' })).data;
      references.push(paymentId.replace('_', '-'));
    },
    async reportPayment(index: number, status: PaymentStatus, amountCents: number) {
      const name = reference(index);
      // A payment that has succeeded keeps its status: this is a repeated old callback.
      if (payments.get(name)?.status !== 'SUCCEEDED')
        payments.set(name, { status, amountCents, card: undefined, signature: undefined });
      await callBack({ reference: name });
    },
    async openDispute(payment: number) {
      const name = reference(payment);
      const amountCents = payments.get(name)?.amountCents ?? 0;
      await reportDispute({ id: String(disputes.size), reference: name, amountCents, status: 'OPEN' });
    },
    async closeDispute(index: number, lostCents: number) {
      const opened = disputes.get(String(index)) as Dispute;
      if (lostCents === 0) await reportDispute({ ...opened, status: 'WON' });
      else await reportDispute({ ...opened, status: 'LOST', amountCents: lostCents });
    },
    async setOffers(offers: readonly Offer[]) {
      plans = offers.map((offer) => ({ ...offer, name: offer.slug, storageGb: 1, featured: false, onSale: true }));
    },
    setSuspended: (isSuspended: boolean) => setSuspension(deps, { accountId, reason: isSuspended ? 'Abuse' : null }),
    /** Runs until nothing is due; two concurrent runs, as if one took longer than a minute. */
    async runSchedule() {
      for (let before = -1; before !== memory.records.length; ) {
        before = memory.records.length;
        await Promise.all([advanceSubscriptions(deps), advanceSubscriptions(deps)]);
        await flow(2);
      }
    },
  };
  const state = () => {
    const account = Account.parse(memory.items('ACCOUNT')[0]);
    const subscriptions = memory.items('SUBSCRIPTION').map((item) => Subscription.parse(item));
    const ledger = memory.items('WALLET_TRANSACTION').map((item) => WalletTransaction.parse(item));
    const events = memory.items('EVENT').map(({ type }) => String(type));
    return {
      balance: account.walletCents,
      frozen: account.frozenCents ?? 0,
      plan: { slug: account.plan.slug, appLimit: account.plan.appLimit },
      ledger: ledger
        .sort((a, b) => a.serial - b.serial)
        .map(({ type, amountCents, balanceAfterCents }) => [type, amountCents, balanceAfterCents]),
      invoices: invoices().map((each) => [each.amountCents, each.vatCents, each.status, each.issuedAt, each.payBy]),
      subscriptions: subscriptionIds
        .map((id) => subscriptions.find((each) => each.id === id))
        .map((each) => [each?.plan.slug, each?.status, each?.currentPeriodEnd]),
      events: events.filter((type) => /^(subscription|payment)[.]/.test(type)).sort(),
    };
  };
  return { operations, state, clock, memory, flow };
}

const stateOf = ({ balance, frozen, plan, ledger, ...model }: MoneyModel) => ({
  balance,
  frozen,
  plan: { slug: plan.slug, appLimit: plan.appLimit },
  ledger,
  invoices: model.invoices.map(({ cents, vatCents, status, issuedAt, payBy }) => [
    cents,
    vatCents,
    status,
    iso(issuedAt),
    iso(payBy),
  ]),
  subscriptions: model.subscriptions.map(({ offer, status, paidUntil }) => [offer.slug, status, iso(paidUntil)]),
  events: model.events.toSorted(),
});

type Operations = Awaited<ReturnType<typeof openPlatform>>['operations'];
type Operation = keyof Operations & keyof MoneyModel;
type Both = <Name extends Operation>(name: Name, ...given: Parameters<Operations[Name]>) => Promise<void>;

/** Relative frequency of each action. Money is scarce, so that dunning happens often. */
const WEIGHTS = {
  buy: 3,
  cancel: 1,
  payByCard: 3,
  retryPayment: 1,
  openDispute: 1,
  closeDispute: 2,
  payInvoice: 1,
  voidInvoice: 1,
  adjustBalance: 1,
  issueInvoice: 1,
  suspend: 1,
  resume: 4,
  setOffers: 1,
};
const DECK = Object.entries(WEIGHTS).flatMap(([name, weight]) =>
  Array.from({ length: weight }, () => name as keyof typeof WEIGHTS),
);

function randomOf(seed: number) {
  const next = seededRandom(seed);
  const below = (limit: number) => Math.floor(next() * limit);
  const oneOf = <T>(values: readonly T[]): T => values[below(values.length)] as T;
  return { below, oneOf, chance: (probability: number) => next() < probability };
}

/** Returns a function that performs a random action of the customer, the bank or an operator. */
function randomActions({ oneOf, chance }: ReturnType<typeof randomOf>, model: MoneyModel, both: Both) {
  /** Performs an action on a matching value, by its index, if there is one. */
  async function withOne<T>(values: readonly T[], fits: (value: T) => boolean, act: (index: number) => Promise<void>) {
    const fitting = [...values.keys()].filter((index) => fits(values[index] as T));
    if (fitting.length > 0) await act(oneOf(fitting));
  }
  type WithStatus = { status: string };
  const rarely = () => chance(0.03);
  const isLive = ({ status }: WithStatus) => status !== 'CANCELLED' || rarely();
  const isUnpaid = ({ status }: WithStatus) => status === 'UNPAID' || rarely();
  const hasFailed = ({ status }: WithStatus) => status === 'FAILED' || rarely();
  const hasSucceeded = ({ status }: WithStatus) => status === 'SUCCEEDED';
  const isOpen = (frozenCents: number) => frozenCents > 0;

  const actions: Record<keyof typeof WEIGHTS, () => Promise<void>> = {
    async buy() {
      const { slug: plan, category } = oneOf(OFFERS);
      const hosting = category === 'WEB' ? { hostingDomain: oneOf(['shop1.example.com', 'shop2.example.com']) } : {};
      await both('buy', { plan, billingCycle: chance(0.2) ? 'YEARLY' : 'MONTHLY', ...hosting }, chance(0.4));
    },
    cancel: () => withOne(model.subscriptions, isLive, (index) => both('cancel', index)),
    async payByCard() {
      const index = model.payments.length;
      await both('beginPayment');
      await both('reportPayment', index, 'OPEN', 0);
      await both('reportPayment', index, chance(0.8) ? 'SUCCEEDED' : 'FAILED', oneOf(AMOUNTS));
    },
    retryPayment: () =>
      withOne(model.payments, hasFailed, (index) => both('reportPayment', index, 'SUCCEEDED', oneOf(AMOUNTS))),
    openDispute: () => withOne(model.payments, hasSucceeded, (index) => both('openDispute', index)),
    closeDispute: () =>
      withOne(model.disputes, isOpen, (index) =>
        both('closeDispute', index, oneOf([0, 500, model.disputes[index] ?? 0])),
      ),
    payInvoice: () => withOne(model.invoices, isUnpaid, (index) => both('payInvoice', index)),
    voidInvoice: () => withOne(model.invoices, isUnpaid, (index) => both('voidInvoice', index)),
    adjustBalance: () => both('adjustBalance', oneOf([-5000, -1, 77, 4000])),
    issueInvoice: () => both('issueInvoice', oneOf([30, 3310])),
    suspend: () => both('setSuspended', true),
    resume: () => both('setSuspended', false),
    async setOffers() {
      const more = oneOf([0, 20, 40]);
      const offers = OFFERS.filter(() => chance(0.9));
      await both(
        'setOffers',
        offers.map((each) => ({ ...each, monthlyCents: each.monthlyCents + more })),
      );
    },
  };
  return () => actions[oneOf(DECK)]();
}

/** Runs an account for its whole lifetime. Throws at the first difference, with the actions so far. */
async function compare(seed: number): Promise<void> {
  const random = randomOf(seed);
  const { oneOf, chance } = random;
  const { operations, state, clock, memory, flow } = await openPlatform(
    Date.parse(oneOf(BEGINNINGS)) + random.below(DAY),
  );
  const model = new MoneyModel();
  // The opening balance.
  model.plan = state().plan;
  const history: string[] = [];
  /** Performs the same action on the platform and in the model. Both must return the same result and have the same state afterwards. */
  const both: Both = async (name, ...given) => {
    model.now = clock.now;
    const refusal = await Promise.resolve(Reflect.apply(operations[name], operations, given)).then(
      () => undefined,
      (error) => (error instanceof ApiError ? error.code : Promise.reject(error)),
    );
    await flow(2);
    history.push(`${iso(clock.now)} ${name}(${given.map((each) => JSON.stringify(each)).join(', ')}) ${refusal ?? ''}`);
    expect(refusal).toBe(Reflect.apply(model[name], model, given));
    expect(state()).toEqual(stateOf(model));
  };
  const act = randomActions(random, model, both);
  try {
    await both('setOffers', OFFERS);
    // Buys a plan at the beginning, to test its periods.
    for (const plan of ['app-3', 'web-starter'])
      await both('buy', { plan, billingCycle: 'MONTHLY', hostingDomain: 'shop1.example.com' }, true);
    for (const end = clock.now + DURATION_MS; clock.now < end; ) {
      if (chance(0.6)) await act();
      // Mostly hours or days; sometimes the schedule does not run for longer than a period.
      clock.now += chance(0.02) ? 40 * DAY : random.below(oneOf([DAY / 6, 2 * DAY, 4 * DAY, 9 * DAY]));
      await both('runSchedule');
    }
    expectLedgerInvariants(memory);
  } catch (error) {
    throw new Error(`seed ${seed}, after\n${history.slice(-15).join('\n')}`, { cause: error });
  }
}

test.each(SEEDS)('an account agrees with the model of its money (seed %i)', compare);
