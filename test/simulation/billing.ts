import { expect } from 'vitest';
import { openAccount } from '../../domain/accounts/accounts.ts';
import type { Deps } from '../../domain/deps.ts';
import { newId } from '../../domain/ids.ts';
import { FiledInvoice, Invoice, InvoiceNumbers, WalletTransaction } from '../../table/entities/billing.ts';
import { Account } from '../../table/entities.ts';
import { createTable, type Send } from '../../table/table.ts';
import { type MemoryTable, memoryTable } from '../support/memory-table.ts';

export const START = Date.parse('2026-01-31T09:30:00.000Z');

/**
 * The billing functions over a table in memory whose answers take a while, so that what runs at once gets in each
 * other's way; and a clock that is set by hand.
 */
export function billingWorld(through: (send: Send) => Send = slowly) {
  const memory = memoryTable();
  const clock = { now: START };
  const table = createTable(through(memory.send), 'memory');
  const deps: Deps = {
    table,
    now: () => new Date(clock.now),
    newId: (prefix) => newId(prefix, clock.now),
    settings: {
      ...{ publicUrl: 'https://example.com', appsDomain: 'apps.example.com', hostArnOf: (id) => id },
      ...{ allowLocalWebhooks: false, allowLocalRepositories: false, webhookRetrySchedule: [60] },
    },
    commit: async (writes, output) => {
      await table.transact(writes);
      return output;
    },
  };
  const open = async (walletCents: number, appLimit = 10): Promise<string> => {
    const plan = { slug: 'app-test', name: 'Test', appLimit };
    const about = { email: 'test@example.com', name: 'Test', aiCreditsMicroRand: 0, keys: [] };
    return (await openAccount(deps, { ...about, plan, walletCents })).id;
  };
  return { memory, clock, deps, open };
}

/** Each operation at a moment of its own. */
const slowly =
  (send: Send): Send =>
  async (operation, input) => {
    await new Promise((done) => setTimeout(done, Math.random() * 3));
    return await send(operation, input);
  };

/** Everything that must be true of all money, at every moment. */
export function expectBooksToBeRight(memory: MemoryTable): void {
  const invoices = memory.items('INVOICE').map((item) => Invoice.parse(item));
  const ledger = memory.items('WALLET_TRANSACTION').map((item) => WalletTransaction.parse(item));
  for (const { id, walletCents, walletSerial = 0 } of memory.items('ACCOUNT').map((item) => Account.parse(item))) {
    const own = ledger.filter(({ accountId }) => accountId === id).sort((a, b) => a.serial - b.serial);
    expect(own.map(({ serial }) => serial)).toEqual(Array.from({ length: walletSerial }, (_, index) => index + 1));
    let balance = 0;
    for (const { amountCents, balanceAfterCents } of own) {
      balance += amountCents;
      expect(balanceAfterCents).toBe(balance);
      expect(balance).toBeGreaterThanOrEqual(0);
    }
    expect(walletCents).toBe(balance);
    const paid = invoices.filter(({ accountId, status }) => accountId === id && status === 'PAID');
    const spent = own.filter(({ type }) => type === 'PAYMENT' || type === 'REFUND');
    const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
    expect(sum(spent.map(({ amountCents }) => -amountCents))).toBe(sum(paid.map(({ amountCents }) => amountCents)));
  }
  for (const { amountCents, vatCents, lines, status, paidAt } of invoices) {
    expect(lines.reduce((total, line) => total + line.amountCents, 0)).toBe(amountCents);
    expect(lines.reduce((total, line) => total + line.vatCents, 0)).toBe(vatCents);
    if (status !== 'VOID') expect(paidAt !== null).toBe(status === 'PAID');
  }
  const filed = memory.items('FILED_INVOICE').map((item) => FiledInvoice.parse(item));
  const summaries = invoices.map(({ lines, ...summary }) => summary);
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  expect(filed.sort(byId)).toEqual(summaries.sort(byId));
  for (const { year, last } of memory.items('INVOICE_NUMBERS').map((item) => InvoiceNumbers.parse(item))) {
    const wanted = Array.from({ length: last }, (_, at) => `INV-${year}-${String(at + 1).padStart(6, '0')}`);
    const taken = invoices.flatMap(({ number }) => (number.startsWith(`INV-${year}-`) ? [number] : []));
    expect(taken.sort()).toEqual(wanted);
  }
}
