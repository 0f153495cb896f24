import { expect, test } from 'vitest';
import { Account } from '../../table/entities/accounts.ts';
import { change } from '../../table/writes.ts';
import { accountSimulation } from '../../test/simulation/accounts.ts';
import {
  crashAt,
  interruptEach,
  noFaults,
  toleratingFaults,
  withRandomDelays,
} from '../../test/simulation/simulation.ts';
import { deleteApp } from '../apps/apps.ts';
import { considerAutoTopUp } from '../billing/auto-top-up.ts';
import { issueInvoice, type NewInvoice } from '../billing/invoices.ts';
import { payUnpaidInvoices } from '../billing/unpaid-invoices.ts';
import { readNothing, withWallet } from '../billing/wallet.ts';
import { sweep } from '../sweep/sweep.ts';
import { reviewPlanLimit } from './plan-limit.ts';
import { accountQueue, applySuspension, setSuspension } from './suspension.ts';

const DAY = 24 * 3600_000;

test('a suspended account: every key, login, application and endpoint is marked, and unmarked when it is lifted', async () => {
  const { addApp, addKey, addLogin, addWebhook, suspend, flow, marks, statuses, account } = await accountSimulation();
  for (const add of [addApp, addApp, addKey, addKey, addWebhook, () => addLogin('ann'), () => addLogin('bob')])
    await add();
  const reason = 'Payment dispute 4711.';
  expect([await suspend(reason), await suspend(reason)]).toEqual([{ suspended: true }, { suspended: true }]);
  expect((await account()).suspensionVersion).toBe(1);
  await flow();
  expect(marks()).toEqual([...Array(6).fill(reason), true]);
  expect(statuses()).toEqual(['SUSPENDED', 'SUSPENDED']);
  await suspend(null);
  await flow();
  expect(marks()).toEqual([...Array(6).fill(undefined), false]);
  expect(statuses()).toEqual(['RUNNING', 'RUNNING']);
});

test('revoked keys are not touched, however many there are', async () => {
  const { addKey, addLogin, suspend, flow, memory } = await accountSimulation();
  for (let count = 0; count < 30; count += 1) await addKey({ revokedAt: '2026-01-01T00:00:00.000Z' });
  await addKey();
  await addLogin('ann');
  await suspend('Abuse.');
  await flow();
  const marked = memory.items('CREDENTIAL').filter(({ suspended }) => suspended !== undefined);
  expect(marked.map(({ revokedAt }) => revokedAt)).toEqual([null, null]);
  expect(memory.items('LOGIN').map(({ suspended }) => suspended)).toEqual(['Abuse.']);
});

test('resources that a request created during the suspension are suspended a minute later', async () => {
  const { addApp, addKey, suspend, flow, sweepAt, marks, statuses, account } = await accountSimulation();
  await suspend('Abuse.');
  await flow();
  await addApp();
  await addKey();
  await sweepAt(61 / 86_400);
  expect(marks()).toEqual(['Abuse.', 'Abuse.']);
  expect(statuses()).toEqual(['SUSPENDED']);
  expect(await account()).toMatchObject({ suspension: { reason: 'Abuse.' } });
  expect((await account()).dueAt).toBeUndefined();
});

test('reasons are a set: lifting the account’s suspension keeps applications suspended for other reasons', async () => {
  const { addApp, suspend, flow, statuses, apps, events } = await accountSimulation();
  const [first = '', second = ''] = [await addApp(), await addApp()];
  await suspend('Phishing.', first);
  await suspend('Abuse.');
  await flow();
  expect(apps()[0]?.suspensions).toMatchObject({ OPERATOR: { reason: 'Phishing.' }, ACCOUNT: {} });
  await suspend(null);
  await flow();
  expect(statuses()).toEqual(['SUSPENDED', 'RUNNING']);
  await suspend(null, first);
  await suspend(null, second);
  expect(statuses()).toEqual(['RUNNING', 'RUNNING']);
  expect(events()).toEqual(['app.suspended', 'app.suspended', 'app.resumed', 'app.resumed']);
});

test('an application that is unknown or deleted is 404, and so is an unknown account', async () => {
  const { addApp, suspend, deps, accountId } = await accountSimulation();
  const id = await addApp();
  await deleteApp(deps, { accountId, keyId: '' }, { id });
  await expect(suspend('Abuse.', id)).rejects.toMatchObject({ code: 'not_found' });
  await expect(suspend('Abuse.', 'app_0')).rejects.toMatchObject({ code: 'not_found' });
  await expect(setSuspension(deps, { accountId: 'acc_0', reason: 'x' })).rejects.toMatchObject({ code: 'not_found' });
});

test.each([
  ['suspension', 'its end', null, [undefined, undefined, undefined, false], 'RUNNING'],
  ['end of a suspension', 'the next one', 'Again.', ['Again.', 'Again.', 'Again.', true], 'SUSPENDED'],
])('applying the %s changes nothing after %s was applied', async (_what, _next, reason, marked, status) => {
  await interruptEach(async (interruption) => {
    const { addApp, addKey, addLogin, addWebhook, suspend, flow, startProcess, accountId, statuses, marks } =
      await accountSimulation();
    for (const add of [addApp, addKey, () => addLogin('ann'), addWebhook]) await add();
    await suspend('Abuse.');
    if (reason !== null) {
      await flow();
      await suspend(null);
    }
    const faults = interruption.by(async () => {
      await suspend(reason);
      await flow();
    });
    await applySuspension(startProcess({ faults }).deps, accountId);
    if (interruption.isReached)
      expect([marks(), statuses()], `before call ${interruption.step}`).toEqual([marked, [status]]);
  });
});

test('the saved card of a suspended account is not charged', async () => {
  const { deps, accountId, suspend, memory } = await accountSimulation();
  const card = { authorization: 'a', email: 'a@example.com', brand: 'visa', lastFour: '4242' };
  const autoTopUp = { enabled: true, thresholdCents: 5000, amountCents: 20_000 };
  await deps.table.transact([change(Account, { id: accountId }, { set: { card, autoTopUp } })]);
  await suspend('Card dispute.');
  await considerAutoTopUp(deps, accountId);
  expect(memory.items('TOP_UP')).toEqual([]);
  await suspend(null);
  await considerAutoTopUp(deps, accountId);
  expect(memory.items('TOP_UP')).toHaveLength(1);
});

test('a suspended account buys no domain with money that arrives or whose hold ends, and buys it when the suspension ends', async () => {
  const { deps, accountId, suspend, flow, clock, memory } = await accountSimulation();
  const line = { description: 'Something', amountCents: 5000, vatCents: 0 };
  const invoice = (order: Partial<NewInvoice>) =>
    withWallet(deps, accountId, readNothing, async (wallet) => {
      issueInvoice(deps, wallet, { kind: 'DOMAIN', lines: [line], ...order });
      await deps.commit(wallet.writes(), undefined);
    });
  await invoice({ countsAsOrder: true });
  await invoice({});
  await invoice({ kind: 'PLAN' });
  await withWallet(deps, accountId, readNothing, async (wallet) => {
    wallet.move('TOPUP', 15_000, 'Card payment');
    const newCardHolds = [{ amountCents: 15_000, until: new Date(clock.now + 3_600_000).toISOString() }];
    await deps.commit(wallet.writes({ set: { newCardHolds } }), undefined);
  });
  clock.now += 3_600_000;
  const statuses = () => memory.items('INVOICE').map(({ status }) => status);
  // The suspension arrives between the reading and the writing.
  let isFirst = true;
  const all: typeof deps.table.all = async (...query) => {
    const found = await deps.table.all(...query);
    if (isFirst) await suspend('Stolen card.');
    isFirst = false;
    return found;
  };
  await payUnpaidInvoices({ ...deps, table: { ...deps.table, all } }, accountId);
  await flow();
  await payUnpaidInvoices(deps, accountId);
  expect(statuses()).toEqual(['UNPAID', 'PAID', 'PAID']);
  await suspend('Another reason.');
  await flow();
  expect(statuses()).toEqual(['UNPAID', 'PAID', 'PAID']);
  await suspend(null);
  await flow();
  expect(statuses()).toEqual(['PAID', 'PAID', 'PAID']);
});

test('an account suspension and a grace period keep their own times and reasons', async () => {
  const { addApp, setLimit, suspend, flow, sweepAt, apps, statuses } = await accountSimulation();
  await addApp();
  await addApp();
  await setLimit(1);
  await flow();
  await suspend('Abuse.');
  await flow();
  await sweepAt(61 / 86_400);
  await sweepAt(7);
  expect(apps().map(({ suspensions }) => Object.keys(suspensions ?? {}).sort())).toEqual([
    ['ACCOUNT'],
    ['ACCOUNT', 'PLAN'],
  ]);
  await suspend(null);
  await flow();
  expect(statuses()).toEqual(['RUNNING', 'SUSPENDED']);
});

test('a process that crashes at any call is completed by the next run', async () => {
  for (let number = 1; ; number += 1) {
    const { addApp, addKey, setLimit, suspend, flow, startProcess, accountId, statuses, marks, clock, calls } =
      await accountSimulation();
    for (const add of [addApp, addApp, addKey]) await add();
    await setLimit(1);
    await flow();
    clock.now += 8 * DAY;
    await suspend('Abuse.');
    const crashing = startProcess({ faults: crashAt(number, 'after') }).deps;
    await toleratingFaults(() => applySuspension(crashing, accountId));
    await toleratingFaults(() => reviewPlanLimit(crashing, accountId));
    const { deps } = startProcess({ faults: noFaults });
    clock.now += 61_000;
    await sweep(deps, accountQueue);
    expect(statuses()).toEqual(['SUSPENDED', 'SUSPENDED']);
    expect(marks()).toEqual(['Abuse.', 'Abuse.']);
    if (calls() < number) break;
  }
});

test('the times of a suspension, a grace period and a top-up that is held back are kept apart, also when set at once', async () => {
  for (let round = 0; round < 20; round += 1) {
    const simulated = await accountSimulation({ through: withRandomDelays });
    const { addApp, suspend, sweepAt, account, deps, accountId, clock } = simulated;
    await addApp();
    await addApp();
    const card = { authorization: 'a', email: 'a@example.com', brand: 'visa', lastFour: '4242' };
    const autoTopUp = { enabled: true, thresholdCents: 5000, amountCents: 2000 };
    const at = new Date(clock.now - DAY / 2).toISOString();
    const autoTopUpHistory = Array.from({ length: 10 }, () => ({ at, amountCents: 2000 }));
    const set = { card, autoTopUp, autoTopUpHistory, 'plan.appLimit': 1 };
    await deps.table.transact([change(Account, { id: accountId }, { set })]);
    const isSuspended = round % 2 === 0;
    const others = [considerAutoTopUp(deps, accountId), reviewPlanLimit(deps, accountId)];
    await Promise.all([...others, isSuspended ? suspend('Abuse.') : undefined]);
    const [minute, hours, days] = [60_000, DAY / 2, 7 * DAY].map((after) => new Date(clock.now + after).toISOString());
    const steps = [{ appLimit: 1, suspendsAt: days }];
    expect(await account()).toMatchObject({ dueAt: isSuspended ? minute : hours, planLimit: { steps } });
    await suspend('Again.');
    await suspend(null);
    // It may have been considered while the account was suspended: the stream considers it again.
    await Promise.all([considerAutoTopUp(deps, accountId), reviewPlanLimit(deps, accountId)]);
    expect(await account()).toMatchObject({ reapplyAt: minute, topUpAt: hours, dueAt: minute, planLimit: { steps } });
    await sweepAt(61 / 86_400);
    expect(await account()).toMatchObject({ topUpAt: hours, dueAt: hours, planLimit: { steps } });
    await sweepAt(0.5);
    expect(await account()).toMatchObject({ autoTopUpId: expect.any(String), dueAt: days, planLimit: { steps } });
    await sweepAt(7);
    const { dueAt, topUpAt, reapplyAt } = await account();
    expect([dueAt, topUpAt, reapplyAt]).toEqual([undefined, undefined, undefined]);
  }
});
