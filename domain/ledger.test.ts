import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { UnitOfWork } from 'aws-lambda-stream/pipelines/index';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { ApiError } from '../contract/errors.ts';
import { billingRules } from '../events/billing-rules.ts';
import type { Rule } from '../events/consume.ts';
import type { Payment, Payments } from '../providers/payments/payments.ts';
import { Invoice, TopUp, WalletTransaction } from '../table/entities/billing.ts';
import { Account } from '../table/entities.ts';
import { createTable, type Send } from '../table/table.ts';
import { change } from '../table/writes.ts';
import { billingWorld, expectBooksToBeRight } from '../test/simulation/billing.ts';
import { issueInvoice, issuePaidInvoice } from './billing/invoices.ts';
import { addVat } from './billing/money.ts';
import { plansOffered } from './billing/plans.ts';
import { cancelSubscription, createSubscription } from './billing/subscriptions.ts';
import { createTopUp, lookIntoTopUps, receivePayment } from './billing/top-ups.ts';
import { cancelInvoice, payOnRequest, voidOverdue } from './billing/unpaid-invoices.ts';
import { nothing, withWallet } from './billing/wallet.ts';

/**
 * Money under random interleavings: orders, card payments, callbacks that are repeated, late or lost, refunds, automatic
 * top-ups, plans, the stream and the schedule all run at once, and each of their processes may die before or after any
 * call that leaves it. Whatever happens: no money is lost or made.
 */
const INTERLEAVINGS = 600;
const AT_ONCE = 8;
const ACTIONS = 14;
/** How likely a process dies at one call. */
const FATAL = 0.04;

class Death extends Error {}

/** A stream of numbers from 0 to 1 that a seed decides. */
function dice(seed: number) {
  let state = seed;
  const roll = () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
  return { roll, below: (most: number) => Math.floor(roll() * most) };
}

/** The card processor: what it has received, by reference. */
function processor() {
  const received = new Map<string, Payment>();
  const card = { authorization: 'AUTH_1', email: 'test@example.com', brand: 'visa', lastFour: '4081' };
  const pay = (reference: string, amountCents: number, status: Payment['status']) =>
    received.set(reference, { status, amountCents, card: status === 'SUCCEEDED' ? card : undefined });
  const payments: Payments = {
    begin: async ({ reference, amountCents }) => {
      pay(reference, amountCents, 'OPEN');
      return `https://pay.example.com/${reference}`;
    },
    find: async (reference) => received.get(reference),
    charge: async ({ reference, amountCents }) => {
      if (!received.has(reference)) pay(reference, amountCents, amountCents % 2 === 0 ? 'SUCCEEDED' : 'FAILED');
    },
    readCallback: () => undefined,
  };
  return { received, pay, payments };
}

const Change = z.object({
  eventID: z.string(),
  eventName: z.enum(['INSERT', 'MODIFY', 'REMOVE']),
  dynamodb: z.object({ NewImage: z.optional(z.looseObject({})), OldImage: z.optional(z.looseObject({})) }),
});
const VERBS = { INSERT: 'created', MODIFY: 'updated', REMOVE: 'deleted' };

/** What rules do about one change. The library that reads them in production keeps its failures in one list for all that run at once. */
async function follow(rules: Rule[], record: object): Promise<void> {
  const { eventID: id, eventName, dynamodb } = Change.parse(record);
  const image = (item: object | undefined) => item && unmarshall(item as Parameters<typeof unmarshall>[0]);
  const raw = { new: image(dynamodb.NewImage), old: image(dynamodb.OldImage) };
  const type = `${String((raw.new ?? raw.old)?.entity).toLowerCase()}-${VERBS[eventName]}`;
  const work = { event: { id, type, raw } } as UnitOfWork;
  for (const rule of rules) {
    if (rule.eventType === type && (rule.filters ?? []).every((filter) => filter(work))) await rule.act(work);
  }
}

async function interleave(seed: number) {
  const { roll, below } = dice(seed);
  const world = billingWorld((send) => send);
  const { received, pay, payments } = processor();
  let deaths = 0;
  let calls = 0;

  const processOf = ({ immortal = false } = {}) => {
    const life = { dead: false };
    const through = async <T>(act: () => Promise<T>): Promise<T> => {
      calls += 1;
      const meet = () => {
        if (life.dead) throw new Death();
        if (immortal || roll() > FATAL) return;
        deaths += 1;
        life.dead = true;
        throw new Death();
      };
      for (let turns = below(4); turns > 0; turns -= 1) await new Promise((done) => setImmediate(done));
      meet();
      const done = await act();
      meet();
      return done;
    };
    const send: Send = (operation, input) => through(() => world.memory.send(operation, input));
    const table = createTable(send, 'memory');
    const commit = async <T>(writes: Parameters<typeof table.transact>[0], output: T) => {
      await table.transact(writes);
      return output;
    };
    const mortal: Payments = {
      ...payments,
      begin: (payment) => through(() => payments.begin(payment)),
      find: (reference) => through(() => payments.find(reference)),
      charge: (payment) => through(() => payments.charge(payment)),
    };
    const base = { ...world.deps, table, commit };
    return { life, deps: { ...base, payments: mortal, plans: plansOffered(base) } };
  };

  const accounts = [await world.open(below(30_000)), await world.open(0)];
  for (const id of accounts) {
    const autoTopUp = { enabled: roll() < 0.5, thresholdCents: below(5000), amountCents: 1000 + below(5000) };
    await world.deps.table.write(Account, change(Account, { id }, { set: { autoTopUp } }));
  }
  const account = () => accounts[below(accounts.length)] ?? '';
  const anyInvoice = (accountId: string) => {
    const own = world.memory.items('INVOICE').filter((item) => item.accountId === accountId);
    return String(own[below(own.length)]?.id ?? 'inv_none');
  };
  const line = () => ({ description: 'Something', ...addVat(1 + below(9000)) });
  const callerOf = (accountId: string) => ({ accountId, keyId: '' });

  type Deps = ReturnType<typeof processOf>['deps'];
  const order = (issue: typeof issueInvoice) => (deps: Deps) =>
    withWallet(deps, account(), nothing, async (wallet) => {
      issue(deps, wallet, { kind: 'DOMAIN', lines: [line(), line()].slice(below(2)), voidAt: wallet.now });
      await deps.commit(wallet.writes(), undefined);
    });
  const payByCard = async (deps: Deps) => {
    const amount = `${10 + below(90)}.00`;
    const { paymentId } = (await createTopUp(deps, callerOf(account()), { amount })).data;
    const reference = paymentId.replace('_', '-');
    if (roll() < 0.2) await receivePayment(deps, { reference });
    if (roll() < 0.3) pay(reference, Number(amount) * 100, 'FAILED');
    if (roll() < 0.3) await receivePayment(deps, { reference });
    if (roll() < 0.9) pay(reference, roll() < 0.2 ? 100 + below(9000) : Number(amount) * 100, 'SUCCEEDED');
    const callbacks = Array.from({ length: below(4) }, () => receivePayment(processOf().deps, { reference }));
    await Promise.allSettled(callbacks);
  };
  const plan = async (deps: Deps) => {
    const accountId = account();
    const bought = { plan: 'email-basic', billingCycle: 'MONTHLY' as const, hostingDomain: `${below(3)}.example.com` };
    const { id } = (await createSubscription(deps, { accountId }, bought)).data;
    if (roll() < 0.4) await cancelSubscription(deps, callerOf(accountId), { id });
  };
  let streamAt = 0;
  const stream = async (deps: Deps) => {
    const Records = world.memory.records.slice(streamAt);
    const upTo = world.memory.records.length;
    for (const record of Records) await follow(billingRules(deps), record);
    streamAt = Math.max(streamAt, upTo);
  };
  const actions: ((deps: Deps) => Promise<unknown>)[] = [
    ...[order(issueInvoice), order(issueInvoice), order(issuePaidInvoice), payByCard, payByCard, plan],
    (deps) => {
      const accountId = account();
      return payOnRequest(deps, callerOf(accountId), { id: anyInvoice(accountId) });
    },
    (deps) => {
      const accountId = account();
      return cancelInvoice(deps, accountId, anyInvoice(accountId));
    },
    ...[stream, stream, lookIntoTopUps, voidOverdue],
  ];

  /** What a caller may be told, and what a dead process leaves unsaid, is no fault. */
  const live = async (act: (deps: Deps) => Promise<unknown>) => {
    const { deps, life } = processOf();
    for (let turns = below(30); turns > 0; turns -= 1) await new Promise((done) => setImmediate(done));
    await act(deps).catch((error: unknown) => {
      if (!life.dead && !(error instanceof ApiError)) throw error;
    });
  };
  await Promise.all(Array.from({ length: ACTIONS }, () => live(actions[below(actions.length)] ?? stream)));

  // The storm is over: what was lost is found, by a schedule and a stream that live.
  const { deps } = processOf({ immortal: true });
  for (let minute = 0; minute < 3; minute += 1) {
    while (streamAt < world.memory.records.length) await stream(deps);
    world.clock.now += 10 * 60_000;
    await lookIntoTopUps(deps);
  }
  while (streamAt < world.memory.records.length) await stream(deps);

  expectBooksToBeRight(world.memory);
  const topUps = world.memory.items('TOP_UP').map((item) => TopUp.parse(item));
  const credited = world.memory
    .items('WALLET_TRANSACTION')
    .map((item) => WalletTransaction.parse(item))
    .filter(({ type }) => type === 'TOPUP');
  const sums = (all: { amountCents: number }[]) => all.map(({ amountCents }) => amountCents).sort((a, b) => a - b);
  const paid = [...received.values()].filter(({ status }) => status === 'SUCCEEDED');
  expect(sums(credited), 'what the processor has received is what wallets got').toEqual(sums(paid));
  for (const { id, status } of topUps) {
    const known = received.get(id.replace('_', '-'))?.status;
    expect(status).toBe(known === 'OPEN' || known === undefined ? 'PENDING' : known);
  }
  const events = world.memory.items('EVENT').filter(({ type }) => type === 'payment.succeeded');
  expect(events).toHaveLength(paid.length);
  for (const id of accounts) {
    const balance = (await deps.table.get(Account, { id }))?.walletCents ?? 0;
    const unpaid = world.memory.items('INVOICE').map((item) => Invoice.parse(item));
    for (const { accountId, status, amountCents } of unpaid)
      if (accountId === id && status === 'UNPAID') expect(amountCents).toBeGreaterThan(balance);
  }
  return { deaths, calls };
}

test('whatever is done at once and whoever dies meanwhile, wallets, ledgers, invoices and payments agree', async () => {
  const total = { deaths: 0, calls: 0 };
  for (let seed = 1; seed <= INTERLEAVINGS; seed += AT_ONCE) {
    const runs = Array.from({ length: AT_ONCE }, (_, index) => interleave(seed + index));
    for (const { deaths, calls } of await Promise.all(runs)) {
      total.deaths += deaths;
      total.calls += calls;
    }
  }
  expect(total.deaths).toBeGreaterThan(INTERLEAVINGS);
  console.log(`ledger: ${INTERLEAVINGS} random interleavings, ${total.calls} calls, ${total.deaths} deaths`);
}, 120_000);
