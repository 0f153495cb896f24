import { expect, test, vi } from 'vitest';
import { Account } from '../../table/entities/accounts.ts';
import { Invoice } from '../../table/entities/billing.ts';
import { billingSimulation, expectLedgerInvariants } from '../../test/simulation/billing.ts';
import { concurrentUpdate } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { issueInvoice, issuePaidInvoice, payInvoice, voidInvoice } from './invoices.ts';
import { addVat, formatRand, parseCents, vatInside } from './money.ts';
import { cancelInvoice, invoiceQueue, voidUnpaidInvoice } from './unpaid-invoices.ts';
import { readNothing, withWallet } from './wallet.ts';

test('rounds VAT half up, added or included', () => {
  const added = [0, 1, 3, 4, 10, 9900, 12_345].map((cents) => addVat(cents));
  expect(added.map(({ vatCents }) => vatCents)).toEqual([0, 0, 0, 1, 2, 1485, 1852]);
  for (const [at, cents] of [0, 1, 3, 4, 10, 9900, 12_345].entries())
    expect((added[at]?.amountCents ?? 0) - (added[at]?.vatCents ?? 0)).toBe(cents);
  expect([0, 115, 1000, 11_500, 23, 4].map((cents) => vatInside(cents).vatCents)).toEqual([0, 15, 130, 1500, 3, 1]);
  expect([parseCents('0.05'), parseCents('1234.50'), formatRand(parseCents('99.90'))]).toEqual([5, 123_450, '99.90']);
});

const order = (cents: number) => ({ kind: 'DOMAIN' as const, lines: [{ description: 'A name', ...addVat(cents) }] });
const buy = (deps: Deps, accountId: string, cents: number) =>
  withWallet(deps, accountId, readNothing, async (wallet) => {
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

test('orders are paid from the wallet to the last cent of the balance, and unpaid after that', async () => {
  const { deps, memory, open } = billingSimulation();
  const id = await open(2300);
  const statuses = [];
  for (let count = 0; count < 3; count += 1) statuses.push((await buy(deps, id, 1000)).status);
  expect(statuses).toEqual(['PAID', 'PAID', 'UNPAID']);
  expect((await deps.table.get(Account, { id }))?.walletCents).toBe(0);
  expectLedgerInvariants(memory);
});

test('an order that requires prepayment and is not paid writes nothing', async () => {
  const { deps, memory, open } = billingSimulation();
  const id = await open(1000);
  const refused = withWallet(deps, id, readNothing, async (wallet) => {
    issuePaidInvoice(deps, wallet, order(1000));
    return await deps.commit(wallet.writes(), undefined);
  });
  await expect(refused).rejects.toMatchObject({
    code: 'insufficient_funds',
    status: 402,
    message: 'Insufficient wallet balance: R1.50 is missing. Top up first.',
  });
  expect(memory.items('INVOICE')).toEqual([]);
  expectLedgerInvariants(memory);
});

test('an unpaid invoice is paid once, a paid one is refunded once, and then it is void', async () => {
  const { deps, memory, open } = billingSimulation();
  const id = await open(0);
  const invoice = await buy(deps, id, 1000);
  const act = (what: typeof payInvoice) =>
    withWallet(deps, id, readOf(deps, invoice), async (wallet, found) => {
      what(wallet, found);
      return await deps.commit(wallet.writes(), undefined);
    });
  await expect(act(payInvoice)).rejects.toMatchObject({ code: 'insufficient_funds' });
  await withWallet(deps, id, readNothing, async (wallet) => {
    wallet.move('TOPUP', 5000, 'Top-up');
    return await deps.commit(wallet.writes(), undefined);
  });
  const paying = await Promise.allSettled(Array.from({ length: 5 }, () => act(payInvoice)));
  expect(paying.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const one of paying) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'conflict' });
  expectLedgerInvariants(memory);
  const refunds = await Promise.allSettled(Array.from({ length: 5 }, () => act(voidInvoice)));
  expect(refunds.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const one of refunds) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'conflict' });
  await expect(act(payInvoice)).rejects.toMatchObject({ code: 'conflict' });
  expect((await deps.table.get(Account, { id }))?.walletCents).toBe(5000);
  expectLedgerInvariants(memory);
});

test('an invoice that becomes void between the read and the write of its payment is not paid', async () => {
  const { deps, memory, open } = billingSimulation({});
  const id = await open(0);
  const invoice = await buy(deps, id, 1000);
  await withWallet(deps, id, readNothing, async (wallet) => {
    wallet.move('TOPUP', 5000, 'Top-up');
    return await deps.commit(wallet.writes(), undefined);
  });
  let isFirst = true;
  const paying = withWallet(deps, id, readOf(deps, invoice), async (wallet, found) => {
    // No money moves here, so the wallet's version stays.
    if (isFirst) await cancelInvoice(deps, id, invoice.id);
    isFirst = false;
    payInvoice(wallet, found);
    return await deps.commit(wallet.writes(), undefined);
  });
  await expect(paying).rejects.toMatchObject({ code: 'conflict', message: 'This invoice is void.' });
  expect((await deps.table.get(Account, { id }))?.walletCents).toBe(5000);
  expectLedgerInvariants(memory);
});

test('an unpaid order becomes void at its time and not before; a paid one does not, although it was found due', async () => {
  const { deps, memory, open, clock } = billingSimulation({});
  const id = await open(1150);
  const voidAt = new Date(clock.now + 1000).toISOString();
  const place = () =>
    withWallet(deps, id, readNothing, async (wallet) => {
      const invoice = issueInvoice(deps, wallet, { ...order(1000), countsAsOrder: true, voidAt });
      return await deps.commit(wallet.writes(), invoice);
    });
  const [paid, unpaid] = [await place(), await place()];
  const act = async () => {
    for (const invoice of [paid, unpaid])
      await invoiceQueue.act(deps, invoice, { duePk: 'INVOICE', dueAt: voidAt, pk: '', sk: '' });
    return await Promise.all([paid, unpaid].map(async (invoice) => (await readOf(deps, invoice)()).status));
  };
  const unpaidOrders = async () => (await deps.table.get(Account, { id }))?.unpaidOrderCount;
  expect([await act(), await unpaidOrders()]).toEqual([['PAID', 'UNPAID'], 1]);
  clock.now += 1000;
  expect([await act(), await unpaidOrders()]).toEqual([['PAID', 'VOID'], 0]);
  expect(memory.items('INVOICE').filter((item) => 'duePk' in item || 'dueAt' in item)).toEqual([]);
  // As does the deletion of an account, whose list of unpaid invoices may be older than the payment.
  expect(await voidUnpaidInvoice(deps, id, paid.id)).toBe('PAID');
  await cancelInvoice(deps, id, paid.id);
  expect(await unpaidOrders()).toBe(0);
  expectLedgerInvariants(memory);
});

test('an order is paid instead of voided if the stream has lost the arrival of its money', async () => {
  const { deps, memory, open, clock } = billingSimulation({});
  const id = await open(0);
  const voidAt = new Date(clock.now).toISOString();
  const invoice = await withWallet(deps, id, readNothing, async (wallet) => {
    const issued = issueInvoice(deps, wallet, { ...order(1000), countsAsOrder: true, voidAt });
    return await deps.commit(wallet.writes(), issued);
  });
  await withWallet(deps, id, readNothing, async (wallet) => {
    wallet.move('ADJUSTMENT', 1150, 'A bank transfer');
    await deps.commit(wallet.writes(), undefined);
  });
  await invoiceQueue.act(deps, invoice, { duePk: 'INVOICE', dueAt: voidAt, pk: '', sk: '' });
  expect(await readOf(deps, invoice)()).toMatchObject({ status: 'PAID' });
  expectLedgerInvariants(memory);
});

test('of 50 concurrent orders on one wallet, as many are paid as the balance covers, and invoice numbers have no gaps', async () => {
  const { deps, memory, open } = billingSimulation();
  const id = await open(1150 * 30 + 1149);
  const invoices = await Promise.all(Array.from({ length: 50 }, () => buy(deps, id, 1000)));
  expect(invoices.filter(({ status }) => status === 'PAID')).toHaveLength(30);
  expect((await deps.table.get(Account, { id }))?.walletCents).toBe(1149);
  expectLedgerInvariants(memory);
});

test('concurrent orders of many accounts share one invoice sequence', async () => {
  const { deps, memory, open } = billingSimulation();
  const accounts = await Promise.all(Array.from({ length: 40 }, (_, at) => open(at % 2 === 0 ? 100_000 : 0)));
  await Promise.all([...accounts, ...accounts].map((id) => buy(deps, id, 1000)));
  expect(memory.items('INVOICE')).toHaveLength(80);
  expectLedgerInvariants(memory);
});

test('invoice numbers restart each year', async () => {
  const { deps, memory, open, clock } = billingSimulation();
  const id = await open(0);
  await buy(deps, id, 1000);
  clock.now = Date.parse('2027-01-01T00:00:00.000Z');
  expect((await buy(deps, id, 1000)).number).toBe('INV-2027-000001');
  expectLedgerInvariants(memory);
});

test('the same transaction can also change the account, with a condition', async () => {
  const { deps, open } = billingSimulation();
  const id = await open(5000, 3);
  const rename = (appLimit: number) =>
    withWallet(deps, id, readNothing, async (wallet) => {
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

test('a wallet that has returned its writes accepts no more, because they would be lost', async () => {
  const { deps, open } = billingSimulation({});
  const id = await open(1000);
  const late = withWallet(deps, id, readNothing, async (wallet) => {
    await deps.commit(wallet.writes(), undefined);
    wallet.move('ADJUSTMENT', 100, 'A gift');
  });
  await expect(late).rejects.toThrow('this wallet has already returned its writes');
});

test('a deduction that the balance does not cover is refused, and a balance of zero is not', async () => {
  const { deps, memory, open } = billingSimulation({});
  const id = await open(1000);
  const deduct = (cents: number) =>
    withWallet(deps, id, readNothing, async (wallet) => {
      wallet.move('ADJUSTMENT', -cents, 'A correction');
      return await deps.commit(wallet.writes(), undefined);
    });
  await expect(deduct(1001)).rejects.toMatchObject({ code: 'insufficient_funds' });
  await deduct(1000);
  expect((await deps.table.get(Account, { id }))?.walletCents).toBe(0);
  expectLedgerInvariants(memory);
});

test('a writer that keeps losing gets a retryable error after a bounded number of attempts', async () => {
  const { deps, open } = billingSimulation({});
  const id = await open(0);
  vi.useFakeTimers();
  let attempts = 0;
  const late = withWallet(deps, id, readNothing, async () => {
    attempts += 1;
    throw concurrentUpdate();
  });
  const refused = expect(late).rejects.toMatchObject({ code: 'server_error', status: 503 });
  await vi.runAllTimersAsync();
  await refused;
  expect(attempts).toBe(60);
  vi.useRealTimers();
});

test('an unknown account has no wallet', async () => {
  const { deps } = billingSimulation();
  await expect(buy(deps, 'acc_none', 1)).rejects.toMatchObject({ code: 'not_found' });
});
