import { expect, test } from 'vitest';
import { Invoice, Subscription } from '../../table/entities/billing.ts';
import { schedule } from '../../table/schedule.ts';
import { create } from '../../table/writes.ts';
import { CARD, cardSimulation, RAND } from '../../test/simulation/card-payments.ts';
import { interruptEach } from '../../test/simulation/simulation.ts';
import { auditIn } from '../../test/support/memory-table.ts';
import { sweep } from '../sweep/sweep.ts';
import { issueInvoice } from './invoices.ts';
import { addPaidPeriod, subscriptionQueue } from './lifecycle.ts';
import { currentPlans } from './plans.ts';
import { topUpQueue } from './top-up-queue.ts';
import { chargeTopUp } from './top-ups.ts';
import { invoiceQueue, payUnpaidInvoices } from './unpaid-invoices.ts';
import { readNothing, withWallet } from './wallet.ts';

/** The schedules do not run for a while, and payment callbacks may not arrive. Customers must not be worse off for it. */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

async function world(walletCents = 0) {
  const run = await cardSimulation({ walletCents });
  const { deps: base, accountId, clock, memory } = run;
  const deps = { ...base, plans: currentPlans(base) };
  const iso = (at: number) => new Date(at).toISOString();
  /** Places an unpaid order, which holds its name for a day. */
  const order = (rand: number) =>
    withWallet(deps, accountId, readNothing, async (wallet) => {
      const voidAt = iso(clock.now + DAY);
      const details = { kind: 'DOMAIN' as const, lines: [run.line(rand)], countsAsOrder: true as const };
      const invoice = issueInvoice(deps, wallet, { ...details, payBy: voidAt, voidAt });
      return await deps.commit(wallet.writes(), invoice);
    });
  const statusOf = async (id: string) => (await deps.table.get(Invoice, { accountId, id }))?.status;
  const subscribe = (periodEnd: number, more: Partial<Subscription> = {}) =>
    deps.table.transact([
      create(Subscription, {
        accountId,
        id: 'sub_1',
        plan: { slug: 'app-3', name: 'App 3', category: 'APP', appLimit: 3 },
        billingCycle: 'MONTHLY',
        priceCents: 19_900,
        status: 'ACTIVE',
        hostingDomain: null,
        currentPeriodEnd: iso(periodEnd),
        createdAt: iso(periodEnd - 31 * DAY),
        cancelledAt: null,
        ...schedule(Subscription, iso(periodEnd - 7 * DAY)),
        ...more,
      }),
    ]);
  const subscription = async () => (await deps.table.get(Subscription, { accountId, id: 'sub_1' }))?.status;
  /** The schedule at a time that a number of days has passed. The stream follows. */
  const runAfter = async (days: number) => {
    clock.now += days * DAY;
    expect((await sweep(deps, subscriptionQueue)).failed).toEqual([]);
    const { autoTopUpId } = await run.account();
    if (autoTopUpId) await chargeTopUp(deps, autoTopUpId);
    await payUnpaidInvoices(deps, accountId);
    for (const item of memory.items('INVOICE')) {
      const invoice = Invoice.parse(item);
      if (invoice.kind === 'PLAN' && invoice.status === 'PAID') await addPaidPeriod(deps, invoice);
    }
  };
  return { ...run, deps, memory, order, statusOf, subscribe, subscription, runAfter };
}

test('an order whose payment was not noticed during an outage is paid, even if orders are swept first', async () => {
  const { deps, clock, accountId, order, payIn, statusOf } = await world();
  const { id } = await order(100);
  clock.now += HOUR;
  await payIn(100, undefined, { callback: false });
  clock.now += 3 * DAY;
  for (let minute = 0; minute < 20; minute += 1) {
    await sweep(deps, invoiceQueue);
    await sweep(deps, topUpQueue);
    // The stream pays when money arrives.
    await payUnpaidInvoices(deps, accountId);
    clock.now += 60_000;
  }
  expect(await statusOf(id)).toBe('PAID');
});

test('an order that was not paid is void soon after an outage, and at its time without one', async () => {
  const { deps, clock, order, statusOf } = await world();
  const { id: late } = await order(100);
  clock.now += 10 * DAY;
  for (let minute = 0; minute < 20; minute += 1) {
    await sweep(deps, invoiceQueue);
    clock.now += 60_000;
  }
  expect(await statusOf(late)).toBe('VOID');
  const { id } = await order(100);
  clock.now += DAY + 60_000;
  await sweep(deps, invoiceQueue);
  expect(await statusOf(id)).toBe('VOID');
});

test.each([
  ['suspended', [0], 15, 'ACTIVE'],
  ['cancelled', [0, 14, 1], 30, 'SUSPENDED'],
] as const)(
  'the card is charged before a plan is %s that became due to be in an outage',
  async (_, days, outage, status) => {
    const { charged, clock, memory, subscribe, subscription, settings, setAccount, runAfter } = await world();
    await subscribe(clock.now + 7 * DAY);
    for (const each of days) await runAfter(each);
    expect(await subscription()).toBe(status);
    const before = auditIn(memory).length;
    await settings('300.00', { threshold: '0.00' });
    await setAccount({ card: CARD });
    await runAfter(outage);
    await runAfter(1);
    expect([charged, await subscription()]).toEqual([[300 * RAND], 'ACTIVE']);
    const steps = auditIn(memory).slice(before);
    expect(steps.filter((action) => /suspended|cancelled/.test(action))).toEqual([]);
  },
);

test('a plan whose card cannot pay is suspended at once after an outage', async () => {
  const { clock, subscribe, subscription, runAfter } = await world();
  await subscribe(clock.now + 7 * DAY);
  await runAfter(0);
  await runAfter(15);
  expect(await subscription()).toBe('SUSPENDED');
});

test('two runs at once end a cancelled plan once', async () => {
  await interruptEach(async ({ by }) => {
    const { deps, clock, memory, startProcess, subscribe } = await world();
    await subscribe(clock.now + 7 * DAY, { status: 'CANCELLED' });
    const run = (given: typeof deps) => sweep(given, subscriptionQueue);
    await run({ ...deps, ...startProcess({ faults: by(() => run(deps)) }) });
    expect(auditIn(memory).filter((action) => action === 'subscription.ended')).toHaveLength(1);
  });
});
