import { expect, test } from 'vitest';
import { billingRules } from '../../events/billing-rules.ts';
import { consume } from '../../events/consume.ts';
import type { Payments } from '../../providers/payments/payments.ts';
import { Invoice, Subscription } from '../../table/entities/billing.ts';
import { Account } from '../../table/entities.ts';
import { billingWorld, expectBooksToBeRight, START } from '../../test/simulation/billing.ts';
import { FIRST_PLAN } from '../first-plan.ts';
import { tendSubscriptions } from './lifecycle.ts';
import { periodEndAfter } from './periods.ts';
import { plansOffered, setPlans } from './plans.ts';
import { cancelSubscription, createSubscription } from './subscriptions.ts';
import { payOnRequest } from './unpaid-invoices.ts';
import { nothing, withWallet } from './wallet.ts';

const DAY = 24 * 3600_000;
const nobody = (): never => {
  throw new Error('nobody pays by card here');
};
const payments: Payments = { begin: nobody, find: nobody, charge: nobody, readCallback: nobody };

/** Days pass: each day the schedule runs, and the stream carries what changed. */
function life() {
  const world = billingWorld((send) => send);
  const deps = { ...world.deps, payments, plans: plansOffered(world.deps) };
  const stream = consume(billingRules(deps));
  let at = 0;
  const flow = async () => {
    while (at < world.memory.records.length) {
      const Records = world.memory.records.slice(at);
      at = world.memory.records.length;
      await stream({ Records });
    }
  };
  const sleepUntil = async (day: number) => {
    while (world.clock.now < START + day * DAY) {
      world.clock.now += DAY;
      await tendSubscriptions(deps);
      await flow();
    }
  };
  const buy = async (accountId: string, plan: string, more: { hostingDomain?: string; yearly?: boolean } = {}) => {
    const { yearly, ...rest } = more;
    const bought = { plan, billingCycle: yearly ? ('YEARLY' as const) : ('MONTHLY' as const), ...rest };
    return (await createSubscription(deps, { accountId }, bought)).data;
  };
  const read = async (accountId: string, id: string) => {
    const found = await deps.table.get(Subscription, { accountId, id });
    if (!found) throw new Error('there is no such subscription');
    return found;
  };
  const invoices = () => world.memory.items('INVOICE').map((item) => Invoice.parse(item));
  const events = () => world.memory.items('EVENT').map(({ type, data }) => [type, (data as { plan: string }).plan]);
  const give = (accountId: string, cents: number) =>
    withWallet(deps, accountId, nothing, async (wallet) => {
      wallet.move('ADJUSTMENT', cents, 'A gift');
      await deps.commit(wallet.writes(), undefined);
    });
  return { ...world, deps, flow, sleepUntil, buy, read, invoices, events, give };
}

test('periods keep the day they began on, the last of a month where it has none', () => {
  const month = (from: string, end: string) => periodEndAfter(from, 'MONTHLY', end).slice(0, 10);
  const from = '2026-01-31T09:30:00.000Z';
  expect(month(from, from)).toBe('2026-02-28');
  expect(month(from, '2026-02-28T09:30:00.000Z')).toBe('2026-03-31');
  expect(month(from, '2026-12-31T09:30:00.000Z')).toBe('2027-01-31');
  expect(periodEndAfter('2028-02-29T00:00:00.000Z', 'YEARLY', '2028-02-29T00:00:00.000Z')).toBe(
    '2029-02-28T00:00:00.000Z',
  );
});

test('with money in the wallet a subscription renews itself seven days before each period ends, and says so', async () => {
  const { open, buy, sleepUntil, read, invoices, events, memory } = life();
  const account = await open(100_000);
  const { id, currentPeriodEnd } = await buy(account, 'app-3');
  expect(currentPeriodEnd).toBe('2026-02-28T09:30:00.000Z');
  await sleepUntil(20);
  expect(invoices()).toHaveLength(1);
  await sleepUntil(22);
  expect(invoices().map(({ status }) => status)).toEqual(['PAID', 'PAID']);
  expect((await read(account, id)).currentPeriodEnd).toBe('2026-03-31T09:30:00.000Z');
  await sleepUntil(60);
  expect((await read(account, id)).currentPeriodEnd).toBe('2026-04-30T09:30:00.000Z');
  expect(events()).toEqual(Array.from({ length: 3 }, () => ['subscription.activated', 'app-3']));
  expectBooksToBeRight(memory);
});

test('unpaid it is suspended seven days after it was due, and active again once paid, its applications too', async () => {
  const { open, buy, sleepUntil, read, invoices, give, flow, deps, memory } = life();
  const account = await open(58_000);
  const { id } = await buy(account, 'app-10');
  await sleepUntil(28 + 6);
  expect(invoices()[1]).toMatchObject({ status: 'UNPAID', payBy: '2026-02-28T09:30:00.000Z', kind: 'PLAN' });
  expect((await read(account, id)).status).toBe('ACTIVE');
  await sleepUntil(28 + 8);
  expect((await read(account, id)).status).toBe('SUSPENDED');
  expect((await deps.table.get(Account, { id: account }))?.plan).toEqual(FIRST_PLAN);
  await give(account, 60_000);
  await flow();
  expect(await read(account, id)).toMatchObject({ status: 'ACTIVE', currentPeriodEnd: '2026-03-31T09:30:00.000Z' });
  expect((await deps.table.get(Account, { id: account }))?.plan).toMatchObject({ slug: 'app-10', appLimit: 10 });
  expectBooksToBeRight(memory);
});

test('unpaid for thirty days it is cancelled and its invoice is void; money that comes later buys nothing', async () => {
  const { open, buy, sleepUntil, read, invoices, give, flow, events, deps, memory } = life();
  const account = await open(6000);
  const { id } = await buy(account, 'web-starter', { hostingDomain: 'example.co.za' });
  await sleepUntil(28 + 29);
  expect((await read(account, id)).status).toBe('SUSPENDED');
  await sleepUntil(28 + 32);
  expect(await read(account, id)).toMatchObject({ status: 'CANCELLED', cancelledAt: expect.any(String) });
  expect(invoices().map(({ status }) => status)).toEqual(['PAID', 'VOID']);
  expect(events().at(-1)).toEqual(['subscription.cancelled', 'web-starter']);
  await give(account, 60_000);
  await flow();
  await sleepUntil(120);
  expect(invoices()).toHaveLength(2);
  expect((await deps.table.get(Account, { id: account }))?.walletCents).toBe(60_000 + 6000 - 5635);
  expectBooksToBeRight(memory);
});

test('a cancelled application plan is kept to the end of what was paid, and then falls back', async () => {
  const { open, buy, sleepUntil, deps, invoices, memory } = life();
  const account = await open(100_000);
  const { id } = await buy(account, 'app-10');
  await cancelSubscription(deps, { accountId: account, keyId: '' }, { id });
  await sleepUntil(27);
  expect((await deps.table.get(Account, { id: account }))?.plan.slug).toBe('app-10');
  await sleepUntil(30);
  expect((await deps.table.get(Account, { id: account }))?.plan).toEqual(FIRST_PLAN);
  expect(invoices()).toHaveLength(1);
  expectBooksToBeRight(memory);
});

test('cancelling makes the unpaid invoice for the next period void; one that is paid adds its period', async () => {
  const { open, buy, sleepUntil, deps, invoices, read, give, memory } = life();
  const account = await open(6000);
  const caller = { accountId: account, keyId: '' };
  const { id } = await buy(account, 'web-starter', { hostingDomain: 'example.co.za' });
  await sleepUntil(23);
  await cancelSubscription(deps, caller, { id });
  expect(invoices().map(({ status }) => status)).toEqual(['PAID', 'VOID']);
  await give(account, 20_000);
  const second = await buy(account, 'web-starter', { hostingDomain: 'example.co.za' });
  await sleepUntil(23 + 20);
  // Nobody has told the stream yet when it is cancelled.
  await tendAt(deps, second.currentPeriodEnd);
  await cancelSubscription(deps, caller, { id: second.id });
  expect((await read(account, second.id)).currentPeriodEnd > second.currentPeriodEnd).toBe(true);
  expectBooksToBeRight(memory);
});

/** The schedule alone, at the time when the next period of a subscription is invoiced. */
async function tendAt(deps: Parameters<typeof tendSubscriptions>[0], periodEnd: string) {
  await tendSubscriptions({ ...deps, now: () => new Date(Date.parse(periodEnd) - 6 * DAY) });
}

test('another application plan takes the place of the one before, which is cancelled', async () => {
  const { open, buy, deps, events, read, memory } = life();
  const account = await open(200_000);
  const first = await buy(account, 'app-3');
  await buy(account, 'app-10', { yearly: false });
  expect((await read(account, first.id)).status).toBe('CANCELLED');
  expect((await deps.table.get(Account, { id: account }))?.plan).toMatchObject({ slug: 'app-10', appLimit: 10 });
  expect(events().sort()).toEqual([
    ['subscription.activated', 'app-10'],
    ['subscription.activated', 'app-3'],
    ['subscription.cancelled', 'app-3'],
  ]);
  await expect(buy(account, 'app-10')).rejects.toMatchObject({ code: 'conflict' });
  expectBooksToBeRight(memory);
});

test('a new price is for later periods; a plan that is gone keeps its last', async () => {
  const { open, buy, sleepUntil, deps, invoices } = life();
  const account = await open(500_000);
  await buy(account, 'email-basic', { hostingDomain: 'example.co.za' });
  const offered = (await deps.plans()).map((plan) => ({ ...plan, monthlyCents: 10_000, onSale: false }));
  const plans = plansOffered(deps);
  await setPlans(deps, { plans: offered });
  expect((await plans())[0]?.monthlyCents).toBe(10_000);
  await tendSubscriptions({ ...deps, plans, now: () => new Date(START + 22 * DAY) });
  expect(invoices().map(({ amountCents }) => amountCents)).toEqual([3335, 11_500]);
  await sleepUntil(1);
  await tendSubscriptions({ ...deps, plans: async () => [], now: () => new Date(START + 55 * DAY) });
  expect(invoices().map(({ amountCents }) => amountCents)).toEqual([3335, 11_500, 11_500]);
});

test('a replay of the stream adds no period twice', async () => {
  const { open, buy, sleepUntil, memory, deps, read } = life();
  const account = await open(100_000);
  const { id } = await buy(account, 'app-3');
  await sleepUntil(23);
  const after = await read(account, id);
  await consume(billingRules(deps))({ Records: memory.records });
  expect(await read(account, id)).toEqual(after);
});

test('an invoice for the next period can be paid by hand', async () => {
  const { open, buy, sleepUntil, deps, read, invoices, flow, give } = life();
  const account = await open(6000);
  const { id } = await buy(account, 'web-starter', { hostingDomain: 'example.co.za' });
  await sleepUntil(23);
  const unpaid = invoices()[1];
  await give(account, 6000);
  await payOnRequest(deps, { accountId: account, keyId: '' }, { id: unpaid?.id ?? '' });
  await flow();
  expect((await read(account, id)).currentPeriodEnd).toBe('2026-03-31T09:30:00.000Z');
});
