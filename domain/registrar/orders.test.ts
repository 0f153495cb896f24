import { expect, test } from 'vitest';
import { Account } from '../../table/entities/accounts.ts';
import { DomainName } from '../../table/entities/registrar.ts';
import { expectLedgerInvariants } from '../../test/simulation/billing.ts';
import { registrarSimulation } from '../../test/simulation/registrar.ts';
import { seededRandom } from '../../test/simulation/simulation.ts';

const MINUTE = 60_000;

/** A registrar without faults, an account without money and one with it. */
async function market() {
  const run = registrarSimulation({
    random: seededRandom(1),
    ...{ crashRate: 0, lossRate: 0, takesMs: () => 1000 },
    ...{ refuses: () => false, registeredByOthers: () => false },
  });
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

test('an account has at most three unpaid orders, however many race, and takes no number for the others', async () => {
  const { order, broke, account, invoices, memory } = await market();
  const orders = await Promise.allSettled(
    Array.from({ length: 12 }, (_, index) => order(broke, `name-${index}.co.za`)),
  );
  expect(orders.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  for (const each of orders)
    if (each.status === 'rejected')
      expect(each.reason).toMatchObject({ code: 'conflict', message: expect.stringContaining('unpaidDomainOrders') });
  expect((await account(broke))?.unpaidOrderCount).toBe(3);
  expect(invoices()).toHaveLength(3);
  expectLedgerInvariants(memory);
});

test('orders that are paid, and orders that become void, make room for others', async () => {
  const { order, broke, give, pay, account, statusOf, clock, runUntilIdle, memory } = await market();
  for (const name of ['one.co.za', 'two.co.za', 'three.co.za']) await order(broke, name);
  await give(broke, 12_000);
  await pay(broke);
  expect(statusOf(broke).filter((status) => status === 'PAID')).toHaveLength(1);
  expect((await account(broke))?.unpaidOrderCount).toBe(2);
  await order(broke, 'four.co.za');
  await expect(order(broke, 'five.co.za')).rejects.toMatchObject({ code: 'conflict' });
  clock.now += 25 * 60 * MINUTE;
  await runUntilIdle();
  expect((await account(broke))?.unpaidOrderCount).toBe(0);
  expect(statusOf(broke).sort()).toEqual(['PAID', 'VOID', 'VOID', 'VOID']);
  expectLedgerInvariants(memory);
});

test('an unpaid order holds its name for an hour against everybody, and then against those who do not pay', async () => {
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
