import { expect, test } from 'vitest';
import { Account } from '../../table/entities/accounts.ts';
import { Subscription } from '../../table/entities/billing.ts';
import type { Change } from '../../table/expressions.ts';
import { change } from '../../table/writes.ts';
import { expectLedgerInvariants } from '../../test/simulation/billing.ts';
import { advanceSubscriptions, subscriptionSimulation } from '../../test/simulation/subscriptions.ts';
import { setSuspension } from '../processes/suspension.ts';

const DAY = 24 * 3600_000;

/** Web hosting whose next periods the wallet does not cover, in an account that operators suspend and resume. */
async function hosting() {
  const simulated = subscriptionSimulation();
  const { open, buy, read, deps } = simulated;
  const accountId = await open(6000);
  const { id } = await buy(accountId, 'web-starter', { hostingDomain: 'example.co.za' });
  const suspend = (reason: string | null) => setSuspension(deps, { accountId, reason });
  return { ...simulated, accountId, id, suspend, status: async () => (await read(accountId, id)).status };
}

test('a suspended account is not invoiced, and loses no hosting; the next invoice is due when the suspension is lifted', async () => {
  const { suspend, sleepUntil, status, invoices, clock, memory } = await hosting();
  await suspend('Under review');
  await sleepUntil(100);
  expect(await status()).toBe('ACTIVE');
  expect(invoices()).toHaveLength(1);
  await suspend(null);
  await sleepUntil(101);
  const issuedAt = new Date(clock.now).toISOString();
  expect(invoices()[1]).toMatchObject({ status: 'UNPAID', issuedAt, payBy: issuedAt });
  await sleepUntil(107);
  expect(await status()).toBe('ACTIVE');
  await sleepUntil(109);
  expect(await status()).toBe('SUSPENDED');
  expectLedgerInvariants(memory);
});

test('an account whose deletion is requested is not invoiced until the request is cancelled', async () => {
  const { deps, accountId, sleepUntil, invoices, clock } = await hosting();
  const setAccount = (what: Change) => deps.table.write(Account, change(Account, { id: accountId }, what));
  await setAccount({ set: { deletion: { requestedAt: '', endsAt: '' } } });
  await sleepUntil(40);
  expect(invoices()).toHaveLength(1);
  await setAccount({ remove: ['deletion'] });
  await sleepUntil(41);
  expect(invoices()[1]).toMatchObject({ status: 'UNPAID', payBy: new Date(clock.now).toISOString() });
});

// The invoice is issued on day 21, and due on day 28.
test.each([
  ['before the invoice is overdue, until the plan would be suspended', 22, 34, 'ACTIVE'],
  ['while the invoice is overdue', 30, 90, 'ACTIVE'],
  ['after the plan is suspended', 40, 120, 'SUSPENDED'],
] as const)('overdue days count from the end of a suspension that begins %s', async (_when, from, to, before) => {
  const { suspend, sleepUntil, status, give, flow, accountId, memory } = await hosting();
  await sleepUntil(from);
  await suspend('Under review');
  await sleepUntil(to);
  await suspend(null);
  await sleepUntil(to + 6);
  expect(await status()).toBe(before);
  await sleepUntil(to + 29);
  expect(await status()).toBe('SUSPENDED');
  if (before === 'ACTIVE') {
    await give(accountId, 6000);
    await flow();
    expect(await status()).toBe('ACTIVE');
  } else {
    await sleepUntil(to + 32);
    expect(await status()).toBe('CANCELLED');
  }
  expectLedgerInvariants(memory);
});

test('an invoice that is paid while its account is suspended renews the plan', async () => {
  const { suspend, sleepUntil, status, give, flow, accountId, invoices } = await hosting();
  await sleepUntil(40);
  await suspend('Under review');
  await give(accountId, 6000);
  await flow();
  expect([await status(), invoices().at(-1)?.status]).toEqual(['ACTIVE', 'PAID']);
});

test('a subscription that is first processed long after its due date is suspended before it is cancelled', async () => {
  const { sleepUntil, status, clock, deps, flow, memory } = await hosting();
  await sleepUntil(22);
  clock.now += 60 * DAY;
  for (const expected of ['SUSPENDED', 'SUSPENDED'] as const) {
    await advanceSubscriptions(deps);
    await flow();
    expect(await status()).toBe(expected);
  }
  await sleepUntil(82 + 22);
  expect(await status()).toBe('SUSPENDED');
  await sleepUntil(82 + 23);
  expect(await status()).toBe('CANCELLED');
  expectLedgerInvariants(memory);
});

test('a subscription that an earlier version suspended without storing the time is cancelled when its invoice is 30 days overdue', async () => {
  const { sleepUntil, status, deps, accountId, id } = await hosting();
  await sleepUntil(36);
  expect(await status()).toBe('SUSPENDED');
  await deps.table.transact([change(Subscription, { accountId, id }, { remove: ['renewal.suspendedAt'] })]);
  await sleepUntil(57);
  expect(await status()).toBe('SUSPENDED');
  await sleepUntil(59);
  expect(await status()).toBe('CANCELLED');
});
