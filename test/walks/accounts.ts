import { expect } from 'vitest';
import { recoverDisputes } from '../../domain/billing/disputes.ts';
import { newTopUp, settleTopUp } from '../../domain/billing/top-ups.ts';
import type { Payment, Payments, Dispute as ProviderDispute } from '../../providers/payments/payments.ts';
import { reportDispute } from '../../runtime/observability/payment-metrics.ts';
import { Account } from '../../table/entities/accounts.ts';
import type { App } from '../../table/entities/apps.ts';
import { Dispute, TopUp } from '../../table/entities/billing.ts';
import { create } from '../../table/writes.ts';
import { billingSimulation, withoutCards } from '../simulation/billing.ts';
import { deploymentSimulation } from '../simulation/deployments.ts';
import type { Scene, Walk } from '../support/walks.ts';

/** A card payment that is disputed, and the dispute is won. */
async function disputedPayment(): Promise<Scene> {
  const { deps, clock, open } = billingSimulation({});
  const received = new Map<string, Payment>();
  const disputes: ProviderDispute[] = [];
  const payments: Payments = {
    ...withoutCards,
    find: async (reference) => received.get(reference),
    findDispute: async (id) => disputes.find((each) => each.id === id),
    listDisputes: async () => disputes,
  };
  const needs = { ...deps, payments, reportDispute };
  const accountId = await open(0);
  const topUp = newTopUp(deps, { accountId, amountCents: 50_000, automatic: false });
  await deps.table.transact([create(TopUp, topUp)]);
  const reference = topUp.id.replace('_', '-');
  const card = { authorization: 'AUTH_1', email: 'test@example.com', brand: 'visa', lastFour: '4081' };
  received.set(reference, { status: 'SUCCEEDED', amountCents: 50_000, card, signature: 'SIG_1' });
  await settleTopUp(needs, topUp.id);
  const account = () => deps.table.get(Account, { id: accountId });
  return {
    clock,
    deps,
    minute: () => recoverDisputes(needs),
    breakIt: () => void disputes.push({ id: '77', reference, amountCents: 50_000, status: 'OPEN' }),
    whileBroken: async () => expect(await account()).toMatchObject({ walletCents: 50_000, frozenCents: 50_000 }),
    steps: [
      {
        words: 'Answer the dispute at Paystack within its time',
        act: async () => {
          for (const dispute of disputes) dispute.status = 'WON';
          // The job that compares disputes works once an hour.
          clock.now = Math.ceil(clock.now / 3_600_000) * 3_600_000;
          await recoverDisputes(needs);
        },
      },
    ],
    whenOver: async () => {
      expect(await account()).toMatchObject({ walletCents: 50_000, frozenCents: 0 });
      expect(await deps.table.get(Dispute, { id: '77' })).toMatchObject({ status: 'WON' });
    },
  };
}

/** A balance and a limit that operators correct. */
async function wrongBalance(): Promise<Scene> {
  const { deps, clock, open } = billingSimulation({});
  const id = await open(1000);
  const fill = { 'acc_…': id, '"…"': '"Refund of 3 March"' };
  const beginning = 'aws lambda invoke --region <region> --function-name hosting-<stage>-operator-adjustAccount';
  return {
    clock,
    deps,
    minute: () => undefined,
    breakIt: () => undefined,
    steps: [
      { command: beginning, has: 'amountCents', fill },
      { command: beginning, has: 'limits', fill },
    ],
    whenOver: async () =>
      expect(await deps.table.get(Account, { id })).toMatchObject({ walletCents: 6000, limits: { apiKeys: 80 } }),
  };
}

/** An application that does harm is suspended and found in the audit log; then the account, which is lifted again. */
async function harmfulApplication(page: 'Suspension' | 'Abuse'): Promise<Scene> {
  const { deps, ids, clock, app } = await deploymentSimulation();
  const fill = { 'acc_…': ids.accountId, 'app_…': ids.applicationId };
  const set = 'aws lambda invoke --region <region> --function-name hosting-<stage>-operator-setSuspension';
  const account = () => deps.table.get(Account, { id: ids.accountId });
  const suspend = { command: set, has: 'applicationId', fill };
  const list = 'aws lambda invoke --region <region> --function-name hosting-<stage>-operator-listAudit';
  return {
    clock,
    deps,
    minute: () => undefined,
    breakIt: () => undefined,
    steps:
      page === 'Abuse' ? [suspend, { command: list, fill }] : [suspend, { command: set, has: '"reason": null', fill }],
    whenOver: async () => {
      const stored: App | undefined = await app();
      expect(stored?.suspensions).toHaveProperty('OPERATOR');
      expect((await account())?.suspension).toBeUndefined();
    },
  };
}

export const accountWalks: Walk[] = [
  {
    page: 'Card disputes',
    fault: 'a card’s owner disputes a payment',
    alarms: ['card-disputes'],
    open: disputedPayment,
  },
  { page: 'Payments', fault: 'a balance and a limit are wrong', alarms: [], open: wrongBalance },
  {
    page: 'Suspension',
    fault: 'an application does harm',
    alarms: [],
    open: () => harmfulApplication('Suspension'),
  },
  { page: 'Abuse', fault: 'an application does harm', alarms: [], open: () => harmfulApplication('Abuse') },
];
