import { expect, test } from 'vitest';
import { DEFAULT_PLAN } from '../../contract/billing/plans.ts';
import { Account } from '../../table/entities/accounts.ts';
import { AuditEntry } from '../../table/entities/audit.ts';
import { Subscription } from '../../table/entities/billing.ts';
import { HostingDomain } from '../../table/entities/hosting.ts';
import { change } from '../../table/writes.ts';
import { expectLedgerInvariants } from '../../test/simulation/billing.ts';
import { START } from '../../test/simulation/simulation.ts';
import { advanceSubscriptions, subscriptionSimulation, tendAt } from '../../test/simulation/subscriptions.ts';
import { auditIn } from '../../test/support/memory-table.ts';
import { incidentOfEntry } from '../accounts/notifications.ts';
import { subscriptionQueue } from './lifecycle.ts';
import { periodEndAfter } from './periods.ts';
import { currentPlans, setPlans } from './plans.ts';
import { cancelHostingOf, cancelSubscription, createSubscription } from './subscriptions.ts';
import { cancelInvoice, payOnRequest } from './unpaid-invoices.ts';

const DAY = 24 * 3600_000;

test('periods keep the day of the month they started on, or the last day of a shorter month', () => {
  const month = (from: string, end: string) => periodEndAfter(from, 'MONTHLY', end).slice(0, 10);
  const from = '2026-01-31T09:30:00.000Z';
  expect(month(from, from)).toBe('2026-02-28');
  expect(month(from, '2026-02-28T09:30:00.000Z')).toBe('2026-03-31');
  expect(month(from, '2026-12-31T09:30:00.000Z')).toBe('2027-01-31');
  expect(periodEndAfter('2028-02-29T00:00:00.000Z', 'YEARLY', '2028-02-29T00:00:00.000Z')).toBe(
    '2029-02-28T00:00:00.000Z',
  );
});

test('a funded subscription renews seven days before each period ends, and sends its event', async () => {
  const { open, buy, sleepUntil, read, invoices, events, memory } = subscriptionSimulation();
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
  expectLedgerInvariants(memory);
});

test('a subscription that is renewed after it was found due gets no early second invoice', async () => {
  const { open, buy, sleepUntil, deps, invoices, read } = subscriptionSimulation();
  const account = await open(500_000);
  const { id } = await buy(account, 'app-3');
  const { currentPeriodEnd } = await read(account, id);
  await sleepUntil((Date.parse(currentPeriodEnd) - START) / DAY - 6);
  const renewed = await read(account, id);
  expect(renewed.currentPeriodEnd > currentPeriodEnd).toBe(true);
  await subscriptionQueue.act(deps, renewed, { duePk: 'SUBSCRIPTION', dueAt: currentPeriodEnd, pk: '', sk: '' });
  expect(invoices()).toHaveLength(2);
  expect(await read(account, id)).toEqual(renewed);
});

test('an unpaid subscription is suspended seven days after the due date and resumes with its applications once paid', async () => {
  const { open, buy, sleepUntil, read, invoices, give, flow, deps, memory } = subscriptionSimulation();
  const account = await open(58_000);
  const { id } = await buy(account, 'app-10');
  await sleepUntil(28 + 6);
  const before = auditIn(memory).length;
  expect(invoices()[1]).toMatchObject({ status: 'UNPAID', payBy: '2026-02-28T09:30:00.000Z', kind: 'PLAN' });
  expect((await read(account, id)).status).toBe('ACTIVE');
  await sleepUntil(28 + 8);
  expect((await read(account, id)).status).toBe('SUSPENDED');
  expect((await deps.table.get(Account, { id: account }))?.plan).toEqual(DEFAULT_PLAN);
  await give(account, 60_000);
  await flow();
  expect(await read(account, id)).toMatchObject({ status: 'ACTIVE', currentPeriodEnd: '2026-03-31T09:30:00.000Z' });
  expect((await deps.table.get(Account, { id: account }))?.plan).toMatchObject({ slug: 'app-10', appLimit: 10 });
  expect(auditIn(memory).slice(before)).toEqual(['subscription.suspended', 'invoice.paid', 'subscription.renewed']);
  expectLedgerInvariants(memory);
});

test('a subscription unpaid for thirty days is cancelled and its invoice voided; later money buys nothing', async () => {
  const { open, buy, sleepUntil, read, invoices, give, flow, events, deps, memory } = subscriptionSimulation();
  const account = await open(6000);
  const hostingDomain = 'example.co.za';
  const { id } = await buy(account, 'web-starter', { hostingDomain });
  await expect(buy(account, 'web-pro', { hostingDomain })).rejects.toThrow('files and mail stay');
  await sleepUntil(28 + 29);
  // Cancelling would then delete everything immediately.
  await expect(buy(account, 'web-pro', { hostingDomain })).rejects.toThrow(
    'cancelling it now deletes its files and mail',
  );
  expect((await read(account, id)).status).toBe('SUSPENDED');
  expect(auditIn(memory)).toEqual([
    'account.opened',
    'subscription.created',
    'invoice.issued',
    'subscription.suspended',
  ]);
  await sleepUntil(28 + 32);
  expect(await read(account, id)).toMatchObject({ status: 'CANCELLED', cancelledAt: expect.any(String) });
  expect(invoices().map(({ status }) => status)).toEqual(['PAID', 'VOID']);
  expect(events().at(-1)).toEqual(['subscription.cancelled', 'web-starter']);
  expect(auditIn(memory).slice(4)).toEqual(['subscription.cancelled']);
  await give(account, 60_000);
  await flow();
  await sleepUntil(120);
  expect(invoices()).toHaveLength(2);
  expect((await deps.table.get(Account, { id: account }))?.walletCents).toBe(60_000 + 6000 - 5635);
  expectLedgerInvariants(memory);
});

test('an owner is notified when a plan is unpaid, suspended and cancelled, and not when it is paid', async () => {
  const { open, buy, sleepUntil, memory, invoices } = subscriptionSimulation();
  const incidents = () => memory.items('AUDIT').flatMap((item) => incidentOfEntry(AuditEntry.parse(item)));
  const account = await open(5635 + 5635);
  const { id } = await buy(account, 'web-starter', { hostingDomain: 'example.co.za' });
  await sleepUntil(40);
  expect(incidents()).toEqual([]);
  await sleepUntil(59 + 32);
  const [{ id: invoiceId, number } = expect.unreachable()] = invoices().slice(-1);
  expect(incidents().map(({ kind, subjectId, title }) => [kind, subjectId, title])).toEqual([
    ['payment-failed', invoiceId, `Invoice ${number} for a plan is unpaid: your balance does not cover it.`],
    ['payment-failed', id, 'A plan was suspended: its invoice is unpaid.'],
    ['payment-failed', id, 'A plan was cancelled: its invoice remained unpaid.'],
  ]);
});

test('a cancelled application plan stays until the end of the paid period and then falls back', async () => {
  const { open, buy, sleepUntil, deps, invoices, memory } = subscriptionSimulation();
  const account = await open(100_000);
  const { id } = await buy(account, 'app-10');
  await cancelSubscription(deps, { accountId: account, keyId: '' }, { id });
  await sleepUntil(27);
  expect((await deps.table.get(Account, { id: account }))?.plan.slug).toBe('app-10');
  await sleepUntil(30);
  expect((await deps.table.get(Account, { id: account }))?.plan).toEqual(DEFAULT_PLAN);
  expect(invoices()).toHaveLength(1);
  expectLedgerInvariants(memory);
});

test('of cancelled plans with paid time left, the account keeps one until the last of them ends', async () => {
  const { open, buy, sleepUntil, deps, memory } = subscriptionSimulation();
  const account = await open(200_000);
  const planOf = async () => (await deps.table.get(Account, { id: account }))?.plan.slug;
  const caller = { accountId: account, keyId: '' };
  const first = await buy(account, 'app-10');
  await cancelSubscription(deps, caller, { id: first.id });
  await sleepUntil(10);
  const smaller = await buy(account, 'app-3');
  await cancelSubscription(deps, caller, { id: smaller.id });
  await sleepUntil(20);
  const same = await buy(account, 'app-10');
  await cancelSubscription(deps, caller, { id: same.id });
  await sleepUntil(45);
  expect(await planOf()).toBe('app-10');
  await sleepUntil(51);
  expect(await planOf()).toBe(DEFAULT_PLAN.slug);
  expectLedgerInvariants(memory);
});

test('a plan that was replaced before its paid end takes effect again until that end, and no longer', async () => {
  const { open, buy, sleepUntil, deps, memory } = subscriptionSimulation();
  const account = await open(5_000_000);
  const planOf = async () => (await deps.table.get(Account, { id: account }))?.plan.slug;
  await buy(account, 'app-25', { yearly: true });
  await sleepUntil(30);
  const { id } = await buy(account, 'app-3');
  await cancelSubscription(deps, { accountId: account, keyId: '' }, { id });
  expect(await planOf()).toBe('app-3');
  await sleepUntil(62);
  expect(await planOf()).toBe('app-25');
  await sleepUntil(366);
  expect(await planOf()).toBe(DEFAULT_PLAN.slug);
  expectLedgerInvariants(memory);
});

test('a subscription whose unpaid invoice operators void is not suspended for it, and is invoiced for its next period', async () => {
  for (const voidedOn of [24, 40]) {
    const { open, buy, sleepUntil, deps, flow, invoices, read, events, give, memory } = subscriptionSimulation();
    const account = await open(100_000);
    const { id } = await buy(account, 'app-3');
    await give(account, -((await deps.table.get(Account, { id: account }))?.walletCents ?? 0));
    await sleepUntil(voidedOn);
    expect((await read(account, id)).status).toBe(voidedOn === 24 ? 'ACTIVE' : 'SUSPENDED');
    const unpaid = invoices().find(({ status }) => status === 'UNPAID');
    await cancelInvoice(deps, account, unpaid?.id ?? '');
    await flow();
    expect((await read(account, id)).status).toBe('ACTIVE');
    expect((await deps.table.get(Account, { id: account }))?.plan.slug).toBe('app-3');
    const activations = events().filter(([type]) => type === 'subscription.activated');
    expect(activations).toHaveLength(voidedOn === 24 ? 1 : 2);
    await give(account, 100_000);
    await sleepUntil(voidedOn + 8);
    const renewed = await read(account, id);
    expect([renewed.status, renewed.renewal]).toEqual(['ACTIVE', undefined]);
    expect(invoices().map(({ status }) => status)).toEqual(['PAID', 'VOID', 'PAID']);
    expectLedgerInvariants(memory);
  }
});

test.each([40, 57])(
  'an invoice that is issued late, after one was made void on day %i, is due when it is issued',
  async (day) => {
    const { open, buy, sleepUntil, deps, flow, invoices, read, clock, memory } = subscriptionSimulation();
    const account = await open(6000);
    const { id } = await buy(account, 'web-starter', { hostingDomain: 'example.co.za' });
    await sleepUntil(day);
    await cancelInvoice(deps, account, invoices().find(({ status }) => status === 'UNPAID')?.id ?? '');
    await flow();
    await sleepUntil(day + 1);
    const issuedAt = new Date(clock.now).toISOString();
    expect(invoices().at(-1)).toMatchObject({ status: 'UNPAID', issuedAt, payBy: issuedAt });
    await sleepUntil(day + 7);
    expect((await read(account, id)).status).toBe('ACTIVE');
    await sleepUntil(day + 9);
    expect((await read(account, id)).status).toBe('SUSPENDED');
    await sleepUntil(day + 30);
    expect((await read(account, id)).status).toBe('SUSPENDED');
    await sleepUntil(day + 32);
    expect((await read(account, id)).status).toBe('CANCELLED');
    expectLedgerInvariants(memory);
  },
);

test('hosting of a domain that its account has verified again is not cancelled because of the earlier loss', async () => {
  const { open, buy, deps, read } = subscriptionSimulation();
  const account = await open(20_000);
  const { id } = await buy(account, 'web-starter', { hostingDomain: 'example.co.za' });
  await cancelHostingOf(deps, account, 'example.co.za');
  expect((await read(account, id)).status).toBe('ACTIVE');
});

test.each([
  ['paid', 10],
  ['suspended', 40],
])(
  'an owner is notified when hosting that is %s is cancelled because another account proved the domain',
  async (_status, day) => {
    const { open, buy, sleepUntil, deps, read, memory } = subscriptionSimulation();
    const account = await open(6000);
    const { id } = await buy(account, 'web-starter', { hostingDomain: 'example.co.za' });
    await sleepUntil(day);
    const proven = { set: { accountId: 'acc_other' } };
    await deps.table.transact([change(HostingDomain, { domain: 'example.co.za' }, proven)]);
    const before = memory.items('AUDIT').length;
    await cancelHostingOf(deps, account, 'example.co.za');
    await cancelHostingOf(deps, account, 'example.co.za');
    expect((await read(account, id)).status).toBe('CANCELLED');
    const entries = memory.items('AUDIT').slice(before);
    const title = 'A hosting plan was cancelled. Another account verified that it owns example.co.za.';
    expect(entries.flatMap((item) => incidentOfEntry(AuditEntry.parse(item)))).toMatchObject([
      { accountId: account, kind: 'domain-problem', subjectId: id, title, path: '/hosting' },
    ]);
  },
);

test.each([
  ['before the next period is invoiced', 10, ['PAID']],
  ['after the next period is invoiced', 28, ['PAID', 'VOID']],
])(
  'hosting that is removed %s because another account proved the domain is cancelled and not charged again if the stream has lost it',
  async (_, day, statuses) => {
    const { open, buy, sleepUntil, deps, read, invoices, give } = subscriptionSimulation();
    const account = await open(6000);
    const { id } = await buy(account, 'web-starter', { hostingDomain: 'example.co.za' });
    await sleepUntil(day);
    const panel = { status: 'REMOVED', mailboxes: 0 };
    await deps.table.transact([
      change(HostingDomain, { domain: 'example.co.za' }, { set: { accountId: 'acc_other' } }),
      change(Subscription, { accountId: account, id }, { set: { panel } }),
    ]);
    await sleepUntil(35);
    await give(account, 100_000);
    await sleepUntil(45);
    expect((await read(account, id)).status).toBe('CANCELLED');
    expect(invoices().map(({ status }) => status)).toEqual(statuses);
  },
);

test('cancelling voids the unpaid invoice for the next period; a paid one adds its period', async () => {
  const { open, buy, sleepUntil, deps, invoices, read, give, memory } = subscriptionSimulation();
  const account = await open(6000);
  const caller = { accountId: account, keyId: '' };
  const { id } = await buy(account, 'web-starter', { hostingDomain: 'example.co.za' });
  await sleepUntil(23);
  await cancelSubscription(deps, caller, { id });
  expect(invoices().map(({ status }) => status)).toEqual(['PAID', 'VOID']);
  await give(account, 20_000);
  const second = await buy(account, 'web-starter', { hostingDomain: 'example.co.za' });
  await sleepUntil(23 + 20);
  // Cancelled before the stream has processed the change.
  await tendAt(deps, second.currentPeriodEnd);
  await cancelSubscription(deps, caller, { id: second.id });
  expect((await read(account, second.id)).currentPeriodEnd > second.currentPeriodEnd).toBe(true);
  expect(invoices().map(({ status }) => status)).toEqual(['PAID', 'VOID', 'PAID', 'PAID']);
  expectLedgerInvariants(memory);
});

test('a new application plan replaces the previous one, which is cancelled', async () => {
  const { open, buy, deps, events, read, memory } = subscriptionSimulation();
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
  expectLedgerInvariants(memory);
});

test('a new price applies to later periods; a withdrawn plan keeps its last price', async () => {
  const { open, buy, sleepUntil, deps, invoices } = subscriptionSimulation();
  const account = await open(500_000);
  await buy(account, 'email-basic', { hostingDomain: 'example.co.za' });
  const offered = (await deps.plans()).map((plan) => ({ ...plan, monthlyCents: 10_000, onSale: false }));
  const plans = currentPlans(deps);
  await setPlans(deps, { plans: offered });
  expect((await plans())[0]?.monthlyCents).toBe(10_000);
  const again = { plan: 'email-basic', billingCycle: 'MONTHLY', hostingDomain: 'example.org' } as const;
  const rebuying = createSubscription({ ...deps, plans }, { accountId: account }, again);
  await expect(rebuying).rejects.toMatchObject({ code: 'invalid_request', message: 'plan: is not on sale' });
  await advanceSubscriptions({ ...deps, plans, now: () => new Date(START + 22 * DAY) });
  expect(invoices().map(({ amountCents }) => amountCents)).toEqual([3335, 11_500]);
  await sleepUntil(1);
  await advanceSubscriptions({ ...deps, plans: async () => [], now: () => new Date(START + 55 * DAY) });
  expect(invoices().map(({ amountCents }) => amountCents)).toEqual([3335, 11_500, 11_500]);
});

test('an invoice for the next period can be paid manually', async () => {
  const { open, buy, sleepUntil, deps, read, invoices, flow, give, memory } = subscriptionSimulation();
  const account = await open(6000);
  const { id } = await buy(account, 'web-starter', { hostingDomain: 'example.co.za' });
  await sleepUntil(23);
  const unpaid = invoices()[1];
  await give(account, 6000);
  await payOnRequest(deps, { accountId: account, keyId: '' }, { id: unpaid?.id ?? '' });
  expect(auditIn(memory).at(-1)).toBe('invoice.paid');
  await flow();
  expect((await read(account, id)).currentPeriodEnd).toBe('2026-03-31T09:30:00.000Z');
});
