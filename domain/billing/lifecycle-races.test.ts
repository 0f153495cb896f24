import { expect, test } from 'vitest';
import { DEFAULT_PLAN } from '../../contract/billing/plans.ts';
import { billingRules } from '../../events/billing.ts';
import { consume } from '../../events/consume.ts';
import { Account } from '../../table/entities/accounts.ts';
import { Invoice, Subscription } from '../../table/entities/billing.ts';
import type { Change } from '../../table/expressions.ts';
import { schedule } from '../../table/schedule.ts';
import { change } from '../../table/writes.ts';
import { expectLedgerInvariants } from '../../test/simulation/billing.ts';
import { CARD } from '../../test/simulation/card-payments.ts';
import { jobsOf } from '../../test/simulation/jobs.ts';
import { withRandomDelays } from '../../test/simulation/simulation.ts';
import { advanceSubscriptions, subscriptionSimulation, tendAt } from '../../test/simulation/subscriptions.ts';
import { addPaidPeriod } from './lifecycle.ts';
import { cancelSubscription } from './subscriptions.ts';
import { cancelInvoice, payOnRequest, payUnpaidInvoices } from './unpaid-invoices.ts';

const DAY = 24 * 3600_000;

/** Has something else happen between the reads of the next operation and its commit. */
function racing(deps: ReturnType<typeof subscriptionSimulation>['deps'], other: () => Promise<unknown>) {
  const { commit } = deps;
  deps.commit = async (...args) => {
    deps.commit = commit;
    await other();
    return await commit(...args);
  };
}

test.each([true, false])(
  'a plan that is paid just before its suspension is not suspended; period added: %o',
  async (isAdded) => {
    const { open, buy, sleepUntil, deps, read, give, flow, clock, memory } = subscriptionSimulation();
    const account = await open(60_000);
    const { id } = await buy(account, 'app-10');
    await sleepUntil(28 + 6);
    clock.now += 2 * DAY;
    // The wallet cannot pay. Then the subscription and its invoice are read, the money arrives, the stream adds the period, the wallet is read.
    const paid = Promise.withResolvers<void>();
    let walletReads = 0;
    const get: typeof deps.table.get = async (entity, of) => {
      if (Object.is(entity, Account)) walletReads += 1;
      if (Object.is(entity, Account) && walletReads === 2) await paid.promise;
      const found = await deps.table.get(entity, of);
      if (!Object.is(entity, Invoice)) return found;
      await give(account, 100_000);
      if (isAdded) await flow();
      else await payUnpaidInvoices(deps, account);
      paid.resolve();
      return found;
    };
    await advanceSubscriptions({ ...deps, table: { ...deps.table, get } });
    await flow();
    expect(await read(account, id)).toMatchObject({ status: 'ACTIVE', currentPeriodEnd: '2026-03-31T09:30:00.000Z' });
    expect((await deps.table.get(Account, { id: account }))?.plan.slug).toBe('app-10');
    expect(memory.items('AUDIT').map(({ action }) => action)).not.toContain('subscription.suspended');
    expectLedgerInvariants(memory);
  },
);

test('a plan that is paid while its unpaid invoice is checked is due again with its next invoice', async () => {
  const { open, buy, sleepUntil, deps, read, give, flow, clock } = subscriptionSimulation();
  const account = await open(60_000);
  const { id } = await buy(account, 'app-10');
  await sleepUntil(28 + 5);
  clock.now += DAY;
  // The money arrives, and the stream adds the period, immediately before the check sets the time of the suspension.
  let isPaid = false;
  const write: typeof deps.table.write = async (entity, ...of) => {
    if (Object.is(entity, Subscription) && !isPaid) {
      isPaid = true;
      await give(account, 100_000);
      await flow();
    }
    return await deps.table.write(entity, ...of);
  };
  await advanceSubscriptions({ ...deps, table: { ...deps.table, write } });
  expect(isPaid).toBe(true);
  const paid = { status: 'ACTIVE', currentPeriodEnd: '2026-03-31T09:30:00.000Z', dueAt: '2026-03-24T09:30:00.000Z' };
  expect(await read(account, id)).toMatchObject(paid);
});

test('an invoice for the next period that is issued while its subscription is cancelled becomes void', async () => {
  const { open, buy, sleepUntil, deps, invoices, memory } = subscriptionSimulation();
  const account = await open(6000);
  const { id, currentPeriodEnd } = await buy(account, 'web-starter', { hostingDomain: 'example.co.za' });
  await sleepUntil(20);
  let isFirst = true;
  const commit: typeof deps.commit = async (...args) => {
    if (isFirst) await tendAt(deps, currentPeriodEnd);
    isFirst = false;
    return await deps.commit(...args);
  };
  await cancelSubscription({ ...deps, commit }, { accountId: account, keyId: '' }, { id });
  expect(invoices().map(({ status }) => status)).toEqual(['PAID', 'VOID']);
  expectLedgerInvariants(memory);
});

test('of two concurrent purchases of one plan, one is charged', async () => {
  for (let turn = 0; turn < 20; turn += 1) {
    const { open, buy, invoices } = subscriptionSimulation(withRandomDelays);
    const account = await open(200_000);
    const bought = await Promise.allSettled([buy(account, 'app-3'), buy(account, 'app-3')]);
    expect(bought.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(invoices()).toHaveLength(1);
  }
});

test.each([{ cents: 100 }, { frozenCents: 100 }])(
  'a smaller plan is bought although money of the account moves at the same time: %o',
  async ({ cents, frozenCents }) => {
    const { open, buy, deps, give } = subscriptionSimulation();
    const account = await open(200_000);
    racing(deps, async () => {
      if (cents) await give(account, cents);
      else await deps.table.write(Account, change(Account, { id: account }, { set: { frozenCents } }));
    });
    expect((await buy(account, 'app-3')).status).toBe('ACTIVE');
  },
);

test('a smaller plan is bought for as many applications as it allows, and not for one more', async () => {
  const { open, buy, deps, invoices } = subscriptionSimulation();
  const account = await open(200_000);
  const setApps = (appCount: number) =>
    deps.table.write(Account, change(Account, { id: account }, { set: { appCount } }));
  await setApps(4);
  await expect(buy(account, 'app-3')).rejects.toMatchObject({ code: 'conflict', message: /more applications/ });
  await setApps(3);
  expect((await buy(account, 'app-3')).status).toBe('ACTIVE');
  expect(invoices()).toHaveLength(1);
});

test('a plan is not bought as a larger one if another one, with more applications, has taken effect since', async () => {
  const { open, buy, deps, invoices } = subscriptionSimulation();
  const account = await open(200_000, 3);
  const plan = { slug: 'app-10', name: 'App 10', appLimit: 10 };
  racing(deps, () => deps.table.write(Account, change(Account, { id: account }, { set: { plan, appCount: 5 } })));
  await expect(buy(account, 'app-3')).rejects.toMatchObject({ code: 'conflict', message: /more applications/ });
  expect(invoices()).toEqual([]);
});

test('of two concurrent cancellations of a subscription, one succeeds, with one event', async () => {
  const { open, buy, deps, events } = subscriptionSimulation();
  const account = await open(200_000);
  const { id } = await buy(account, 'app-3');
  const cancel = () => cancelSubscription(deps, { accountId: account, keyId: '' }, { id });
  racing(deps, cancel);
  await expect(cancel()).rejects.toMatchObject({ code: 'conflict' });
  expect(events().filter(([type]) => type === 'subscription.cancelled')).toHaveLength(1);
});

test('a subscription that is cancelled while its next period is invoiced gets no invoice', async () => {
  const { open, buy, sleepUntil, deps, invoices, read } = subscriptionSimulation();
  const account = await open(200_000);
  const { id, currentPeriodEnd } = await buy(account, 'app-3');
  await sleepUntil(20);
  racing(deps, () => cancelSubscription(deps, { accountId: account, keyId: '' }, { id }));
  await tendAt(deps, currentPeriodEnd);
  expect(invoices()).toHaveLength(1);
  expect(await read(account, id)).toMatchObject({ status: 'CANCELLED', currentPeriodEnd });
});

test('a paid period that is added twice at once sends one event', async () => {
  const { open, buy, sleepUntil, deps, invoices, events } = subscriptionSimulation();
  const account = await open(200_000);
  const { currentPeriodEnd } = await buy(account, 'app-3');
  await sleepUntil(20);
  await tendAt(deps, currentPeriodEnd);
  const add = () => addPaidPeriod(deps, invoices()[1] ?? expect.unreachable());
  racing(deps, add);
  await add();
  expect(events()).toHaveLength(2);
});

test('a paid invoice whose change the stream has lost is settled before the plan would be suspended', async () => {
  const { open, buy, sleepUntil, deps, read, give, clock, invoices } = subscriptionSimulation();
  const account = await open(6000);
  const { id } = await buy(account, 'web-starter', { hostingDomain: 'example.co.za' });
  await sleepUntil(30);
  await give(account, 6000);
  await payOnRequest(deps, { accountId: account, keyId: '' }, { id: invoices()[1]?.id ?? '' });
  clock.now += 6 * DAY;
  await advanceSubscriptions(deps);
  expect(await read(account, id)).toMatchObject({ status: 'ACTIVE', currentPeriodEnd: '2026-03-31T09:30:00.000Z' });
});

test('a period whose invoice was voided after its beginning is invoiced again a day later', async () => {
  const { open, buy, sleepUntil, deps, invoices, flow } = subscriptionSimulation();
  const account = await open(6000);
  await buy(account, 'web-starter', { hostingDomain: 'example.co.za' });
  await sleepUntil(30);
  await cancelInvoice(deps, account, invoices()[1]?.id ?? '');
  await flow();
  await advanceSubscriptions(deps);
  expect(invoices().map(({ status }) => status)).toEqual(['PAID', 'VOID']);
  await sleepUntil(31);
  expect(invoices().map(({ status }) => status)).toEqual(['PAID', 'VOID', 'UNPAID']);
});

test('an unpaid plan is renewed instead of suspended if the stream has lost the arrival of its money', async () => {
  const { open, buy, sleepUntil, deps, read, give, clock, memory } = subscriptionSimulation();
  const account = await open(6000);
  const { id } = await buy(account, 'web-starter', { hostingDomain: 'example.co.za' });
  await sleepUntil(30);
  await give(account, 6000);
  clock.now += 6 * DAY;
  await advanceSubscriptions(deps);
  expect(await read(account, id)).toMatchObject({ status: 'ACTIVE', currentPeriodEnd: '2026-03-31T09:30:00.000Z' });
  expectLedgerInvariants(memory);
});

/** A plan whose next period is not paid, of an account whose card the stream does not charge because it has lost the invoice. */
async function unpaidWithCard() {
  const world = subscriptionSimulation();
  const { open, buy, sleepUntil, deps, clock, read } = world;
  const account = await open(6000);
  const { id, currentPeriodEnd } = await buy(account, 'web-starter', { hostingDomain: 'example.co.za' });
  await sleepUntil(22);
  const autoTopUp = { enabled: true, thresholdCents: 0, amountCents: 10_000 };
  await deps.table.write(Account, change(Account, { id: account }, { set: { card: CARD, autoTopUp } }));
  /** Runs the schedule a number of days after the invoice's due date. @returns the plan's status, and whether the card is about to be charged */
  const runScheduleAt = async (day: number) => {
    clock.now = Date.parse(currentPeriodEnd) + day * DAY;
    await advanceSubscriptions(deps);
    const { autoTopUpId } = (await deps.table.get(Account, { id: account })) ?? {};
    return [(await read(account, id)).status, autoTopUpId !== undefined];
  };
  return { ...world, of: { accountId: account, id }, runScheduleAt };
}

test('the card is charged a day before a plan is suspended if the stream has lost its unpaid invoice', async () => {
  const { of, runScheduleAt, give } = await unpaidWithCard();
  expect(await runScheduleAt(5.9)).toEqual(['ACTIVE', false]);
  expect(await runScheduleAt(6)).toEqual(['ACTIVE', true]);
  await give(of.accountId, 10_000);
  expect((await runScheduleAt(7))[0]).toBe('ACTIVE');
});

test('the card is charged a day after a plan is suspended if the stream has lost its unpaid invoice', async () => {
  const { deps, of, runScheduleAt } = await unpaidWithCard();
  const setCard = (what: Change) => deps.table.write(Account, change(Account, { id: of.accountId }, what));
  await setCard({ remove: ['card'] });
  expect(await runScheduleAt(6)).toEqual(['ACTIVE', false]);
  expect(await runScheduleAt(7)).toEqual(['SUSPENDED', false]);
  await setCard({ set: { card: CARD } });
  expect(await runScheduleAt(7.9)).toEqual(['SUSPENDED', false]);
  expect(await runScheduleAt(8)).toEqual(['SUSPENDED', true]);
  for (let day = 9; day < 30; day += 1) expect(await runScheduleAt(day)).toEqual(['SUSPENDED', true]);
  expect((await runScheduleAt(30))[0]).toBe('CANCELLED');
});

test.each([
  [7, 'SUSPENDED', true],
  [30, 'CANCELLED', false],
])(
  'a plan that an earlier version scheduled for day %i becomes %s then, and its card is charged: %o',
  async (day, status, isCharged) => {
    const { deps, of, runScheduleAt, read, clock } = await unpaidWithCard();
    const dueAt = new Date(clock.now + 1000 * DAY).toISOString();
    const suspended = {
      status: 'SUSPENDED',
      'renewal.suspendedAt': (await read(of.accountId, of.id)).currentPeriodEnd,
    };
    const set = { ...(day === 30 ? suspended : {}), dueAt };
    await deps.table.write(Subscription, change(Subscription, of, { set }));
    expect((await runScheduleAt(day - 1))[1]).toBe(false);
    await deps.table.write(
      Subscription,
      change(Subscription, of, { set: schedule(Subscription, new Date(clock.now + DAY)) }),
    );
    expect(await runScheduleAt(day)).toEqual([status, isCharged]);
  },
);

test('a replay of the stream does not add the next period, which is unpaid', async () => {
  const { open, buy, sleepUntil, memory, deps, read, invoices } = subscriptionSimulation();
  const account = await open(2 * 5635);
  const { id } = await buy(account, 'web-starter', { hostingDomain: 'example.co.za' });
  await sleepUntil(28 + 25);
  expect(invoices().map(({ status }) => status)).toEqual(['PAID', 'PAID', 'UNPAID']);
  const before = await read(account, id);
  await consume(billingRules({ ...deps, ...jobsOf(deps) }))({ Records: memory.records });
  expect(await read(account, id)).toEqual(before);
});

test('an application plan that ends is not kept because of an active hosting plan', async () => {
  const { open, buy, sleepUntil, deps } = subscriptionSimulation();
  const account = await open(200_000);
  await buy(account, 'web-starter', { hostingDomain: 'example.co.za' });
  const { id } = await buy(account, 'app-3');
  await cancelSubscription(deps, { accountId: account, keyId: '' }, { id });
  await sleepUntil(30);
  expect((await deps.table.get(Account, { id: account }))?.plan).toEqual(DEFAULT_PLAN);
});

test('a replay of the stream adds no period twice', async () => {
  const { open, buy, sleepUntil, memory, deps, read } = subscriptionSimulation();
  const account = await open(100_000);
  const { id } = await buy(account, 'app-3');
  await sleepUntil(23);
  const after = await read(account, id);
  await consume(billingRules({ ...deps, ...jobsOf(deps) }))({ Records: memory.records });
  expect(await read(account, id)).toEqual(after);
});

test.each(['app-10', 'app-3'])(
  'a plan %s that is paid at the moment when another one ends takes effect',
  async (slug) => {
    const { open, buy, sleepUntil, deps, clock } = subscriptionSimulation();
    const account = await open(1_000_000);
    await buy(account, 'app-3');
    const { id } = await buy(account, 'app-10');
    const plan = { slug, name: slug, appLimit: 10 };
    const pay = async (status: 'SUSPENDED' | 'ACTIVE', served: typeof plan) =>
      deps.table.transact([
        change(Subscription, { accountId: account, id }, { set: { status, plan: { ...plan, category: 'APP' } } }),
        change(Account, { id: account }, { set: { plan: served } }),
      ]);
    await sleepUntil(10);
    await pay('SUSPENDED', { slug: 'app-3', name: 'App 3', appLimit: 3 });
    clock.now += 19 * DAY;
    let isFirst = true;
    const all: typeof deps.table.all = async (...query) => {
      const found = await deps.table.all(...query);
      if (isFirst) await pay('ACTIVE', plan);
      isFirst = false;
      return found;
    };
    await advanceSubscriptions({ ...deps, table: { ...deps.table, all } });
    expect((await deps.table.get(Account, { id: account }))?.plan.slug).toBe(slug);
  },
);

test.each(['app-10', 'app-3'] as const)(
  'a plan %s that is bought in the moment the cancelled one ends is the one that is served',
  async (bought) => {
    const { open, buy, sleepUntil, deps, clock, memory } = subscriptionSimulation();
    const account = await open(1_000_000);
    const { id } = await buy(account, 'app-10');
    await cancelSubscription(deps, { accountId: account, keyId: '' }, { id });
    await sleepUntil(27);
    clock.now += 2 * DAY;
    let isFirst = true;
    const all: typeof deps.table.all = async (...query) => {
      const found = await deps.table.all(...query);
      if (isFirst) await buy(account, bought);
      isFirst = false;
      return found;
    };
    await advanceSubscriptions({ ...deps, table: { ...deps.table, all } });
    expect((await deps.table.get(Account, { id: account }))?.plan.slug).toBe(bought);
    expect((await deps.table.get(Subscription, { accountId: account, id }))?.dueAt).toBeUndefined();
    expectLedgerInvariants(memory);
  },
);

test('a suspended plan whose payment the stream has lost is active again a day later', async () => {
  const { open, buy, sleepUntil, deps, read, give, invoices, clock, memory } = subscriptionSimulation();
  const account = await open(60_000);
  const { id } = await buy(account, 'app-10');
  await sleepUntil(28 + 9);
  expect((await read(account, id)).status).toBe('SUSPENDED');
  await give(account, 100_000);
  const unpaid = invoices().find(({ status }) => status === 'UNPAID');
  await payOnRequest(deps, { accountId: account, keyId: '' }, { id: unpaid?.id ?? '' });
  clock.now += DAY;
  await advanceSubscriptions(deps);
  expect((await read(account, id)).status).toBe('ACTIVE');
  expectLedgerInvariants(memory);
});
