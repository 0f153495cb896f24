import { expect, test } from 'vitest';
import { LIMITS } from '../../contract/limits/limits.ts';
import { Account } from '../../table/entities/accounts.ts';
import { AuditEntry } from '../../table/entities/audit.ts';
import { Invoice } from '../../table/entities/billing.ts';
import { DomainName } from '../../table/entities/registrar.ts';
import { change } from '../../table/writes.ts';
import { expectLedgerInvariants } from '../../test/simulation/billing.ts';
import { CARD } from '../../test/simulation/card-payments.ts';
import { registrarSimulation, withoutFaults } from '../../test/simulation/registrar.ts';
import { incidentOfEntry } from '../accounts/notifications.ts';

const MINUTE = 60_000;
const LIMIT = LIMITS.unpaidDomainOrders.amounts;

/** A registrar without faults, an account without money and one with it. */
async function market() {
  const run = registrarSimulation(withoutFaults({ takesMs: () => 1000 }));
  const [broke, payer] = [await run.open(0), await run.open(500_000)];
  const account = async (id: string) => await run.deps.table.get(Account, { id });
  const holder = async (name: string) => (await run.deps.table.get(DomainName, { name }))?.accountId;
  const statusOf = (accountId: string) =>
    run
      .invoices()
      .filter((invoice) => invoice.accountId === accountId)
      .map(({ status }) => status);
  return { ...run, broke, payer, account, holder, statusOf };
}

test('an account has a limited number of unpaid orders, also in a race, and refused orders take no invoice number', async () => {
  const { order, broke, account, invoices, memory } = await market();
  const orders = await Promise.allSettled(
    Array.from({ length: LIMIT + 9 }, (_, index) => order(broke, `name-${index}.co.za`)),
  );
  expect(orders.filter(({ status }) => status === 'fulfilled')).toHaveLength(LIMIT);
  for (const each of orders)
    if (each.status === 'rejected')
      expect(each.reason).toMatchObject({ code: 'conflict', message: expect.stringContaining('unpaidDomainOrders') });
  expect((await account(broke))?.unpaidOrderCount).toBe(LIMIT);
  expect(invoices()).toHaveLength(LIMIT);
  expectLedgerInvariants(memory);
});

test('the response of an unpaid order says which money is missing, or not available', async () => {
  const { order, broke, payer, deps } = await market();
  const { data: missing } = await order(broke, 'missing.co.za');
  expect([missing.invoice.status, missing.unpaidReason]).toEqual([
    'UNPAID',
    `Insufficient wallet balance: R${missing.invoice.amount} is missing. Top up first.`,
  ]);
  const until = new Date(deps.now().getTime() + 60 * MINUTE).toISOString();
  const newCardHolds = [{ amountCents: 2_000_000, until }];
  await deps.table.transact([change(Account, { id: payer }, { set: { walletCents: 2_000_000, newCardHolds } })]);
  const { data: paid } = await order(payer, 'paid.co.za');
  expect(paid).toEqual({ invoice: expect.objectContaining({ status: 'PAID' }) });
  await deps.table.transact([change(Account, { id: payer }, { set: { frozenCents: 1_999_000 } })]);
  const { data: frozen } = await order(payer, 'frozen.co.za');
  expect([frozen.invoice.status, frozen.unpaidReason]).toEqual(['UNPAID', expect.stringContaining('is frozen')]);
});

test('orders that are paid, and orders that become void, make room for others', async () => {
  const { order, broke, give, pay, account, statusOf, clock, runUntilIdle, memory } = await market();
  for (let index = 0; index < LIMIT; index += 1) await order(broke, `name-${index}.co.za`);
  await give(broke, 12_000);
  await pay(broke);
  expect(statusOf(broke).filter((status) => status === 'PAID')).toHaveLength(1);
  expect((await account(broke))?.unpaidOrderCount).toBe(LIMIT - 1);
  await order(broke, 'next.co.za');
  await expect(order(broke, 'beyond.co.za')).rejects.toMatchObject({ code: 'conflict' });
  clock.now += 25 * 60 * MINUTE;
  await runUntilIdle();
  expect((await account(broke))?.unpaidOrderCount).toBe(0);
  expect(statusOf(broke).sort()).toEqual(['PAID', ...Array.from({ length: LIMIT }, () => 'VOID')]);
  expectLedgerInvariants(memory);
});

test('an unpaid order holds its name for an hour against all orders, and then only against unpaid ones', async () => {
  const { order, broke, payer, open, holder, statusOf, clock, memory, runUntilIdle, account } = await market();
  const name = 'wanted.co.za';
  await order(broke, name);
  clock.now += 59 * MINUTE;
  await expect(order(payer, name)).rejects.toMatchObject({ code: 'conflict' });
  clock.now += 2 * MINUTE;
  // Another account without money gets nothing, nor does the holder by ordering again.
  const alsoBroke = await open(0);
  await expect(order(alsoBroke, name)).rejects.toMatchObject({ code: 'conflict' });
  await expect(order(broke, name)).rejects.toMatchObject({ code: 'conflict' });
  expect(await holder(name)).toBe(broke);
  expect([statusOf(alsoBroke), statusOf(broke)]).toEqual([[], ['UNPAID']]);
  await order(payer, name);
  expect(await holder(name)).toBe(payer);
  expect([statusOf(payer), statusOf(broke)]).toEqual([['PAID'], ['VOID']]);
  expect((await account(broke))?.unpaidOrderCount).toBe(0);
  await runUntilIdle();
  expectLedgerInvariants(memory);
});

test('of two customers who pay for a yielded name one gets it, and the other pays nothing', async () => {
  const { order, broke, payer, open, holder, statusOf, clock, memory, account } = await market();
  const name = 'contested.co.za';
  await order(broke, name);
  clock.now += 61 * MINUTE;
  const other = await open(500_000);
  const both = await Promise.allSettled([order(payer, name), order(other, name)]);
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const [winner, loser] = (await holder(name)) === payer ? [payer, other] : [other, payer];
  expect([statusOf(winner), statusOf(loser)]).toEqual([['PAID'], []]);
  expect((await account(loser))?.walletCents).toBe(500_000);
  expectLedgerInvariants(memory);
});

test('an order that is paid while another customer is about to take its name keeps it, and the other pays nothing', async () => {
  const { order, broke, payer, give, pay, holder, statusOf, clock, steady, runUntilIdle, domains, account, memory } =
    await market();
  const name = 'paid-late.co.za';
  await order(broke, name);
  clock.now += 61 * MINUTE;
  const get: typeof steady.table.get = async (entity, id) => {
    const found = await steady.table.get(entity, id);
    if (entity.type === Invoice.type && !statusOf(broke).includes('PAID')) {
      await give(broke, 50_000);
      await pay(broke);
    }
    return found;
  };
  const late = order(payer, name, 1, { ...steady, table: { ...steady.table, get } });
  await expect(late).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('not available') });
  expect([statusOf(broke), statusOf(payer), await holder(name)]).toEqual([['PAID'], [], broke]);
  await runUntilIdle();
  expect(domains()).toMatchObject([{ name, accountId: broke, status: 'ACTIVE' }]);
  expect((await account(payer))?.walletCents).toBe(500_000);
  expectLedgerInvariants(memory);
});

test("the platform's own name servers, given for an order, make a domain whose zone is ours; a mix with others is refused", async () => {
  const { order, payer, open, domains, invoices, steady, runUntilIdle, memory } = await market();
  await order(payer, 'first.co.za');
  await runUntilIdle();
  const { nameservers = [] } = domains()[0] ?? {};
  const given = nameservers.map((each) => `${each.toUpperCase()}`);
  await order(payer, 'second.co.za', 1, steady, given);
  await runUntilIdle();
  const [first, second] = domains().sort((one, other) => one.name.localeCompare(other.name));
  expect(second).toMatchObject({ status: 'ACTIVE', dnsProvider: 'PLATFORM', nameservers: first?.nameservers });
  await expect(order(payer, 'third.co.za', 1, steady, [given[0] ?? '', 'ns1.elsewhere.example'])).rejects.toMatchObject(
    {
      code: 'invalid_request',
      message: expect.stringMatching(/^nameservers: .* is ours/),
    },
  );
  expect(invoices()).toHaveLength(2);
  const other = await open(500_000);
  await order(other, 'fourth.co.za', 1, steady, ['ns1.elsewhere.example', 'ns2.elsewhere.example']);
  await runUntilIdle();
  expect(domains().find(({ name }) => name === 'fourth.co.za')).toMatchObject({
    status: 'ACTIVE',
    dnsProvider: 'EXTERNAL',
  });
  // The registrar has made a zone for it all the same, which is to be deleted.
  const released = memory.items('ZONE').filter((zone) => 'releasedAt' in zone);
  expect(released).toMatchObject([{ name: 'fourth.co.za', duePk: 'ZONE' }]);
});

test('an order that is not paid in time is said to be unpaid, and not to have been refused', async () => {
  const { order, broke, clock, runUntilIdle, memory } = await market();
  await order(broke, 'unpaid.co.za');
  clock.now += 25 * 60 * MINUTE;
  await runUntilIdle();
  const incidents = memory.items('AUDIT').flatMap((item) => incidentOfEntry(AuditEntry.parse(item)));
  expect(incidents.map(({ title }) => title)).toEqual([
    'unpaid.co.za was not registered: its invoice was not paid in time.',
  ]);
});

test('the card is charged for an unpaid order at its next check if the stream has lost the order', async () => {
  const { order, broke, account, deps, clock, runUntilIdle } = await market();
  await order(broke, 'shop.co.za');
  const autoTopUp = { enabled: true, thresholdCents: 0, amountCents: 50_000 };
  await deps.table.write(Account, change(Account, { id: broke }, { set: { card: CARD, autoTopUp } }));
  clock.now += 60 * MINUTE;
  await runUntilIdle();
  expect((await account(broke))?.autoTopUpHistory).toMatchObject([{ amountCents: 50_000 }]);
});
