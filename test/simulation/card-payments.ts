import { expect } from 'vitest';
import { considerAutoTopUp, setAutoTopUp } from '../../domain/billing/auto-top-up.ts';
import { issuePaidInvoice } from '../../domain/billing/invoices.ts';
import { receivePayment } from '../../domain/billing/payment-callbacks.ts';
import { topUpQueue } from '../../domain/billing/top-up-queue.ts';
import { chargeTopUp, newTopUp, settleTopUp } from '../../domain/billing/top-ups.ts';
import { readNothing, withWallet } from '../../domain/billing/wallet.ts';
import { accountQueue } from '../../domain/processes/suspension.ts';
import { sweep } from '../../domain/sweep/sweep.ts';
import {
  ChargeRefused,
  type Dispute,
  type Payment,
  PaymentProviderError,
  type Payments,
} from '../../providers/payments/payments.ts';
import { Account } from '../../table/entities/accounts.ts';
import { TopUp } from '../../table/entities/billing.ts';
import { change, create } from '../../table/writes.ts';
import { billingSimulation } from './billing.ts';
import type { ProcessOptions } from './simulation.ts';

export const CARD = { authorization: 'AUTH_1', email: 'test@example.com', brand: 'visa', lastFour: '4081' };
export const RAND = 100;

/** An account at a payment provider that can be away, and that records charges. */
export async function cardSimulation({ walletCents = 0 } = {}) {
  const { deps: base, memory, open, clock, ...simulated } = billingSimulation({});
  const received = new Map<string, Payment>();
  const disputes = new Map<string, Dispute & { toldAt: number }>();
  const unreadable: { id?: string } = {};
  const charged: number[] = [];
  const provider = { isAway: false, refusesCards: false };
  const available = <T>(value: T) => {
    if (provider.isAway) throw new PaymentProviderError('away');
    return value;
  };
  const pay = (reference: string, amountCents: number, signature: string | undefined = 'SIG_1') =>
    received.set(reference, { status: 'SUCCEEDED', amountCents, card: CARD, signature });
  const payments: Payments = {
    begin: async () => available('https://pay.example.com'),
    find: async (reference) => available(received.get(reference)),
    charge: async ({ reference, amountCents }) => {
      if (provider.refusesCards) throw new ChargeRefused('Invalid authorization code');
      available(charged.push(amountCents));
      pay(reference, amountCents);
    },
    findDispute: async (id) => {
      if (id === unreadable.id) throw new PaymentProviderError('unreadable');
      return available(disputes.get(id));
    },
    listDisputes: async (since) => available([...disputes.values()].filter(({ toldAt }) => toldAt >= since.getTime())),
    readCallback: async () => ({}),
  };
  const reported: string[] = [];
  const reportDispute = ({ status }: { status: string }) => void reported.push(status);
  const deps = { ...base, payments, reportDispute };
  const startProcess = (options?: ProcessOptions) => {
    const process = simulated.startProcess(options);
    return { ...process.deps, payments: process.port('payments', payments), reportDispute };
  };
  const accountId = await open(walletCents);
  const account = async () => {
    const found = await deps.table.get(Account, { id: accountId });
    if (!found) throw new Error('no account');
    return found;
  };
  const setAccount = (set: Partial<Account>) => deps.table.write(Account, change(Account, { id: accountId }, { set }));
  const settings = (amount: string, { enabled = true, threshold = '50.00' } = {}) =>
    setAutoTopUp(deps, { accountId, keyId: '' }, { enabled, threshold, amount });
  /** Starts the automatic top-up that is due, if any, and charges the card, as the stream does. */
  const topUpAutomatically = async () => {
    await considerAutoTopUp(deps, accountId);
    const { autoTopUpId } = await account();
    if (autoTopUpId) await chargeTopUp(deps, autoTopUpId);
  };
  /** Pays into the wallet by card. Returns the reference. */
  const payIn = async (rand: number, signature?: string, { callback = true } = {}) => {
    const topUp = newTopUp(deps, { accountId, amountCents: rand * RAND, automatic: false });
    await deps.table.transact([create(TopUp, topUp)]);
    const reference = topUp.id.replace('_', '-');
    pay(reference, rand * RAND, signature);
    if (callback) await settleTopUp(deps, topUp.id);
    return reference;
  };
  const line = (rand: number) => ({ description: 'Something', amountCents: rand * RAND, vatCents: 0 });
  const buy = (kind: 'DOMAIN' | 'AI_CREDITS' | 'PLAN', rand: number) =>
    withWallet(deps, accountId, readNothing, async (wallet) => {
      const invoice = issuePaidInvoice(deps, wallet, { kind, lines: [line(rand)] });
      return await deps.commit(wallet.writes(), invoice.status);
    });
  const tellDispute = async (reference: string, rand: number, status: Dispute['status'], id = '77', by = deps) => {
    disputes.set(id, { id, reference, amountCents: rand * RAND, status, toldAt: clock.now });
    return await receivePayment(by, { disputeId: id });
  };
  /** A dispute at the provider, whose callback never comes. */
  const disputeSilently = (reference: string, rand: number, status: Dispute['status'], id = '77') =>
    disputes.set(id, { id, reference, amountCents: rand * RAND, status, toldAt: clock.now });
  const reconcile = async () => {
    for (const { failed } of [await sweep(deps, topUpQueue), await sweep(deps, accountQueue)])
      expect(failed).toEqual([]);
  };
  return {
    deps,
    startProcess,
    memory,
    clock,
    open,
    received,
    provider,
    charged,
    reported,
    account,
    setAccount,
    settings,
    topUpAutomatically,
    payIn,
    buy,
    line,
    tellDispute,
    disputeSilently,
    unreadable,
    reconcile,
    accountId,
  };
}
