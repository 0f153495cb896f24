import { expect, test, vi } from 'vitest';
import { Invoice } from '../../table/entities/billing.ts';
import { Account } from '../../table/entities.ts';
import { billingWorld, expectBooksToBeRight } from '../../test/simulation/billing.ts';
import type { Deps } from '../deps.ts';
import { issueInvoice, issuePaidInvoice, payInvoice, voidInvoice } from './invoices.ts';
import { addVat, centsOf, rand, vatInside } from './money.ts';
import { nothing, stale, withWallet } from './wallet.ts';

test('VAT is rounded half up, added or inside', () => {
  const added = [0, 1, 3, 4, 10, 9900, 12_345].map((cents) => addVat(cents));
  expect(added.map(({ vatCents }) => vatCents)).toEqual([0, 0, 0, 1, 2, 1485, 1852]);
  for (const [at, cents] of [0, 1, 3, 4, 10, 9900, 12_345].entries())
    expect((added[at]?.amountCents ?? 0) - (added[at]?.vatCents ?? 0)).toBe(cents);
  expect([0, 115, 1000, 11_500, 23, 4].map((cents) => vatInside(cents).vatCents)).toEqual([0, 15, 130, 1500, 3, 1]);
  expect([centsOf('0.05'), centsOf('1234.50'), rand(centsOf('99.90'))]).toEqual([5, 123_450, '99.90']);
});

const order = (cents: number) => ({ kind: 'DOMAIN' as const, lines: [{ description: 'A name', ...addVat(cents) }] });
const buy = (deps: Deps, accountId: string, cents: number) =>
  withWallet(deps, accountId, nothing, async (wallet) => {
    const invoice = issueInvoice(deps, wallet, order(cents));
    return await deps.commit(wallet.writes(), invoice);
  });
const readOf =
  (deps: Deps, { accountId, id }: Invoice) =>
  async () => {
    const invoice = await deps.table.get(Invoice, { accountId, id });
    if (!invoice) throw new Error('the invoice is gone');
    return invoice;
  };

test('an order is paid from the wallet while the balance lasts, to the cent, and unpaid after', async () => {
  const { deps, memory, open } = billingWorld();
  const id = await open(2300);
  const statuses = [];
  for (let count = 0; count < 3; count += 1) statuses.push((await buy(deps, id, 1000)).status);
  expect(statuses).toEqual(['PAID', 'PAID', 'UNPAID']);
  expect((await deps.table.get(Account, { id }))?.walletCents).toBe(0);
  expectBooksToBeRight(memory);
});

test('what is only sold against money leaves nothing behind without it', async () => {
  const { deps, memory, open } = billingWorld();
  const id = await open(1000);
  const refused = withWallet(deps, id, nothing, async (wallet) => {
    issuePaidInvoice(deps, wallet, order(1000));
    return await deps.commit(wallet.writes(), undefined);
  });
  await expect(refused).rejects.toMatchObject({ code: 'insufficient_funds', status: 402 });
  expect(memory.items('INVOICE')).toEqual([]);
  expectBooksToBeRight(memory);
});

test('an unpaid invoice is paid once, a paid one is refunded once, and then it is void', async () => {
  const { deps, memory, open } = billingWorld();
  const id = await open(0);
  const invoice = await buy(deps, id, 1000);
  const act = (what: typeof payInvoice) =>
    withWallet(deps, id, readOf(deps, invoice), async (wallet, found) => {
      what(wallet, found);
      return await deps.commit(wallet.writes(), undefined);
    });
  await expect(act(payInvoice)).rejects.toMatchObject({ code: 'insufficient_funds' });
  await withWallet(deps, id, nothing, async (wallet) => {
    wallet.move('TOPUP', 5000, 'Top-up');
    return await deps.commit(wallet.writes(), undefined);
  });
  const paying = await Promise.allSettled(Array.from({ length: 5 }, () => act(payInvoice)));
  expect(paying.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const one of paying) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'conflict' });
  expectBooksToBeRight(memory);
  const refunds = await Promise.allSettled(Array.from({ length: 5 }, () => act(voidInvoice)));
  expect(refunds.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  await expect(act(payInvoice)).rejects.toMatchObject({ code: 'conflict' });
  expect((await deps.table.get(Account, { id }))?.walletCents).toBe(5000);
  expectBooksToBeRight(memory);
});

test('of 50 orders at once on one wallet as many are paid as it covers, and no number is missing', async () => {
  const { deps, memory, open } = billingWorld();
  const id = await open(1150 * 30 + 1149);
  const invoices = await Promise.all(Array.from({ length: 50 }, () => buy(deps, id, 1000)));
  expect(invoices.filter(({ status }) => status === 'PAID')).toHaveLength(30);
  expect((await deps.table.get(Account, { id }))?.walletCents).toBe(1149);
  expectBooksToBeRight(memory);
});

test('orders of many accounts at once share one row of numbers', async () => {
  const { deps, memory, open } = billingWorld();
  const accounts = await Promise.all(Array.from({ length: 40 }, (_, at) => open(at % 2 === 0 ? 100_000 : 0)));
  await Promise.all([...accounts, ...accounts].map((id) => buy(deps, id, 1000)));
  expect(memory.items('INVOICE')).toHaveLength(80);
  expectBooksToBeRight(memory);
});

test('the numbers begin again with the year, which has no more than its own', async () => {
  const { deps, memory, open, clock } = billingWorld();
  const id = await open(0);
  await buy(deps, id, 1000);
  clock.now = Date.parse('2027-01-01T00:00:00.000Z');
  expect((await buy(deps, id, 1000)).number).toBe('INV-2027-000001');
  expectBooksToBeRight(memory);
});

test('one item of the account changes in the same write, and its condition means what it says', async () => {
  const { deps, open } = billingWorld();
  const id = await open(5000, 3);
  const rename = (appLimit: number) =>
    withWallet(deps, id, nothing, async (wallet) => {
      wallet.move('ADJUSTMENT', 100, 'A gift');
      const more = { set: { name: 'Renamed' }, when: { 'plan.appLimit': { is: appLimit } } };
      return await deps.commit(
        wallet.writes(more, () => new Error('another limit')),
        undefined,
      );
    });
  await expect(rename(4)).rejects.toThrow('another limit');
  await rename(3);
  expect(await deps.table.get(Account, { id })).toMatchObject({ name: 'Renamed', walletCents: 5100 });
});

test('who is always too late is told to come back, after a bounded number of attempts', async () => {
  const { deps, open } = billingWorld((send) => send);
  const id = await open(0);
  vi.useFakeTimers();
  let attempts = 0;
  const late = withWallet(deps, id, nothing, async () => {
    attempts += 1;
    throw stale();
  });
  const refused = expect(late).rejects.toMatchObject({ code: 'server_error', status: 503 });
  await vi.runAllTimersAsync();
  await refused;
  expect(attempts).toBe(60);
  vi.useRealTimers();
});

test('an account that is not there has no wallet', async () => {
  const { deps } = billingWorld();
  await expect(buy(deps, 'acc_none', 1)).rejects.toMatchObject({ code: 'not_found' });
});
