import { expect } from 'vitest';
import { openAccount } from '../../domain/accounts/accounts.ts';
import type { Payments } from '../../providers/payments/payments.ts';
import { Account } from '../../table/entities/accounts.ts';
import { Invoice, InvoiceByStatus, InvoiceSequence, WalletTransaction } from '../../table/entities/billing.ts';
import type { MemoryTable } from '../support/memory-table.ts';
import { type SimulationOptions, simulation, withRandomDelays } from './simulation.ts';

const refuseCards = (): never => {
  throw new Error('no card payments in this test');
};
/** For tests in which no card is charged: any use of the payment processor fails. */
export const withoutCards: Payments = {
  begin: refuseCards,
  find: refuseCards,
  charge: refuseCards,
  findDispute: refuseCards,
  listDisputes: refuseCards,
  readCallback: refuseCards,
};

/** Accounts and money: the billing functions over a table whose operations interleave, and no other provider. */
export function billingSimulation(options: SimulationOptions = { through: withRandomDelays }) {
  const simulated = simulation(options);
  const { deps } = simulated.steady;
  /** Opens an account. @param walletCents its opening balance */
  const openAccountWith = async (walletCents: number, appLimit = 10): Promise<string> => {
    const plan = { slug: 'app-test', name: 'Test', appLimit };
    const about = { email: 'test@example.com', name: 'Test', aiCreditsMicroRand: 0, keys: [] };
    return (await openAccount(deps, { ...about, plan, walletCents })).id;
  };
  return { ...simulated, deps, open: openAccountWith };
}

/** Expects what must be true of all money at every moment: wallets, ledgers, invoices and their numbers agree. */
export function expectLedgerInvariants(memory: MemoryTable): void {
  const invoices = memory.items('INVOICE').map((item) => Invoice.parse(item));
  const ledger = memory.items('WALLET_TRANSACTION').map((item) => WalletTransaction.parse(item));
  for (const { id, walletCents, walletVersion = 0 } of memory.items('ACCOUNT').map((item) => Account.parse(item))) {
    const own = ledger.filter(({ accountId }) => accountId === id).sort((a, b) => a.serial - b.serial);
    expect(own.map(({ serial }) => serial)).toEqual(Array.from({ length: walletVersion }, (_, index) => index + 1));
    let balance = 0;
    for (const { type, amountCents, balanceAfterCents } of own) {
      balance += amountCents;
      expect(balanceAfterCents).toBe(balance);
      // Only the bank, which takes back a disputed payment, brings a balance below zero, and only money ends that.
      if (amountCents < 0 && type !== 'ADJUSTMENT') expect(balance).toBeGreaterThanOrEqual(0);
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
  const filed = memory.items('FILED_INVOICE').map((item) => InvoiceByStatus.parse(item));
  const summaries = invoices.map(({ lines, ...summary }) => summary);
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  expect(filed.sort(byId)).toEqual(summaries.sort(byId));
  for (const { year, last } of memory.items('INVOICE_NUMBERS').map((item) => InvoiceSequence.parse(item))) {
    const wanted = Array.from({ length: last }, (_, at) => `INV-${year}-${String(at + 1).padStart(6, '0')}`);
    const taken = invoices.flatMap(({ number }) => (number.startsWith(`INV-${year}-`) ? [number] : []));
    expect(taken.sort()).toEqual(wanted);
  }
}
