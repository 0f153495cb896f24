import { expect, test } from 'vitest';
import { accountRules } from '../../events/accounts.ts';
import { consume } from '../../events/consume.ts';
import { Account, ApiKey, Credential, Login } from '../../table/entities/accounts.ts';
import { App } from '../../table/entities/apps.ts';
import { Webhook } from '../../table/entities/webhooks.ts';
import { change, create } from '../../table/writes.ts';
import { billingSimulation } from '../../test/simulation/billing.ts';
import { crashAt, noFaults, toleratingFaults } from '../../test/simulation/simulation.ts';
import { deleteApp } from '../apps/apps.ts';
import { sweep } from '../sweep/sweep.ts';
import { reviewPlanLimit } from './plan-limit.ts';
import { accountQueue, applySuspension, setSuspension } from './suspension.ts';

const DAY = 24 * 3600_000;

/** An account with keys, logins, applications and a webhook endpoint, and the stream and schedule that look after it. */
async function harness({ appLimit = 10 } = {}) {
  const simulated = billingSimulation({});
  const { deps, memory, clock } = simulated;
  const accountId = await simulated.open(0, appLimit);
  const stream = consume(accountRules(deps));
  let at = 0;
  /** The stream delivers all changes, and what follows from them. */
  const flow = async () => {
    while (at < memory.records.length) {
      const Records = memory.records.slice(at);
      at = memory.records.length;
      await stream({ Records });
    }
  };
  let apps = 0;
  const addApp = async () => {
    apps += 1;
    const id = deps.newId('app');
    const app: App = {
      ...{ id, accountId, name: `App ${apps}`, slug: id, framework: 'NODE', nodeVersion: '22', repoUrl: null },
      ...{ branch: 'main', installCommand: 'npm ci', buildCommand: null, startFile: 'server.js', primaryDomain: id },
      ...{ hosts: [], status: 'RUNNING', autoDeploy: false, createdAt: '', updatedAt: '' },
    };
    await deps.table.transact([
      create(App, app),
      change(Account, { id: accountId }, { add: { appCount: 1 } }, () => new Error('no account')),
    ]);
    return id;
  };
  const addKey = async () => {
    const id = deps.newId('key');
    const hashes = { secret: `${id}-s`, public: `${id}-p` };
    const common = { accountId, allowedOrigins: ['*'], expiresAt: null, revokedAt: null };
    await deps.table.transact([
      create(ApiKey, { ...common, id, name: 'k', scopes: [], createdAt: '', publicKey: 'pk', hashes }),
      ...(['secret', 'public'] as const).map((kind) =>
        create(Credential, { ...common, hash: hashes[kind], keyId: id, kind, scopes: [], lastUsedAt: null }),
      ),
    ]);
    return hashes;
  };
  const addLogin = async (subject: string) => {
    await deps.table.transact([
      create(Login, { subject, accountId, listed: true }),
      change(Account, { id: accountId }, { append: { logins: [subject] } }),
    ]);
  };
  const addWebhook = async () => {
    const id = deps.newId('whk');
    const secret = { wrappedKey: '', iv: '', ciphertext: '' };
    const more = { active: true, failureCount: 0, disabledAt: null, secret, createdAt: '' };
    await deps.table.transact([
      create(Webhook, { id, accountId, url: 'https://a.example', description: '', events: ['*'], ...more }),
    ]);
  };
  const stored = () => memory.items('APP').map((item) => App.parse(item));
  return {
    ...{ ...simulated, accountId, flow, addApp, addKey, addLogin, addWebhook },
    suspend: (reason: string | null, applicationId?: string) =>
      setSuspension(deps, { accountId, reason, ...(applicationId ? { applicationId } : {}) }),
    sweepAt: async (days: number) => {
      clock.now += days * DAY;
      const { failed } = await sweep(deps, accountQueue);
      expect(failed).toEqual([]);
      await flow();
    },
    setLimit: (limit: number) =>
      deps.table.transact([change(Account, { id: accountId }, { set: { 'plan.appLimit': limit } })]),
    account: async () => Account.parse(memory.items('ACCOUNT')[0]),
    apps: stored,
    statuses: () => stored().map(({ status }) => status),
    marks: () => [
      ...memory.items('CREDENTIAL').map(({ suspended }) => suspended),
      ...memory.items('LOGIN').map(({ suspended }) => suspended),
      ...memory.items('WEBHOOK').map(({ heldSince }) => heldSince !== undefined),
    ],
    events: () => memory.items('EVENT').map(({ type }) => type),
  };
}

test('a suspended account: every key, login, application and endpoint is marked, and unmarked when it is lifted', async () => {
  const { addApp, addKey, addLogin, addWebhook, suspend, flow, marks, statuses, account } = await harness();
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

test('what a request created while the account was being suspended is found a minute later', async () => {
  const { addApp, addKey, suspend, flow, sweepAt, marks, statuses, account } = await harness();
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

test('reasons are a set: lifting the account leaves what was suspended for another reason', async () => {
  const { addApp, suspend, flow, statuses, apps, events } = await harness();
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
  const { addApp, suspend, deps, accountId } = await harness();
  const id = await addApp();
  await deleteApp(deps, { accountId, keyId: '' }, { id });
  await expect(suspend('Abuse.', id)).rejects.toMatchObject({ code: 'not_found' });
  await expect(suspend('Abuse.', 'app_0')).rejects.toMatchObject({ code: 'not_found' });
  await expect(setSuspension(deps, { accountId: 'acc_0', reason: 'x' })).rejects.toMatchObject({ code: 'not_found' });
});

test('suspending and lifting at once, with stale runs of the stream between, end in the last state', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { addApp, addKey, suspend, flow, deps, accountId, statuses, marks } = await harness();
    for (const add of [addApp, addKey, addApp]) await add();
    const stale = () => applySuspension(deps, accountId);
    await suspend('Abuse.');
    const changes = [suspend(null), stale(), stale()];
    await Promise.all([...changes, suspend('Again.'), stale()]);
    await suspend(null);
    await Promise.all([stale(), stale()]);
    await flow();
    expect([statuses(), marks()]).toEqual([Array(2).fill('RUNNING'), [undefined, undefined]]);
  }
});

test('a plan that shrinks suspends the newest applications after seven days, with a notice and events', async () => {
  const { addApp, setLimit, flow, sweepAt, statuses, events, account, memory } = await harness();
  for (let count = 0; count < 4; count += 1) await addApp();
  await setLimit(1);
  await flow();
  const { planLimit } = await account();
  expect(planLimit?.steps).toEqual([{ appLimit: 1, suspendsAt: '2026-02-07T09:30:00.000Z' }]);
  expect(memory.items('EVENT')[0]).toMatchObject({
    type: 'plan.limit_exceeded',
    data: { plan: 'app-test', appLimit: 1, applications: 4, suspendsAt: '2026-02-07T09:30:00.000Z' },
  });
  await sweepAt(6.9);
  expect(statuses()).toEqual(Array(4).fill('RUNNING'));
  await sweepAt(0.2);
  expect(statuses()).toEqual(['RUNNING', 'SUSPENDED', 'SUSPENDED', 'SUSPENDED']);
  expect(events().slice(1)).toEqual(Array(3).fill('app.suspended'));
  await sweepAt(30);
  expect((await account()).dueAt).toBeUndefined();
});

test('an upgrade during the grace period ends it, one after it resumes what the new limit includes, at once', async () => {
  const { addApp, setLimit, flow, sweepAt, statuses, account } = await harness();
  for (let count = 0; count < 4; count += 1) await addApp();
  await setLimit(1);
  await flow();
  await setLimit(4);
  await flow();
  expect(await account()).not.toHaveProperty('planLimit');
  await sweepAt(8);
  expect(statuses()).toEqual(Array(4).fill('RUNNING'));
  await setLimit(1);
  await flow();
  await sweepAt(8);
  await setLimit(3);
  await flow();
  expect(statuses()).toEqual(['RUNNING', 'RUNNING', 'RUNNING', 'SUSPENDED']);
  await setLimit(4);
  await flow();
  expect(statuses()).toEqual(Array(4).fill('RUNNING'));
  expect((await account()).dueAt).toBeUndefined();
});

test('deleting an application makes room for a suspended one', async () => {
  const { addApp, setLimit, flow, sweepAt, apps, deps, accountId } = await harness();
  const oldest = await addApp();
  await addApp();
  await addApp();
  await setLimit(1);
  await flow();
  await sweepAt(8);
  await deleteApp(deps, { accountId, keyId: '' }, { id: oldest });
  await flow();
  const running = apps().filter(({ status }) => status === 'RUNNING');
  expect(running.map(({ name }) => name)).toEqual(['App 2']);
});

test('an upgrade that races with the end of the grace period leaves nothing suspended', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { addApp, setLimit, flow, deps, accountId, statuses, clock } = await harness();
    for (let count = 0; count < 4; count += 1) await addApp();
    await setLimit(1);
    await flow();
    clock.now += 8 * DAY;
    await Promise.all([sweep(deps, accountQueue), setLimit(10), reviewPlanLimit(deps, accountId)]);
    await flow();
    expect(statuses()).toEqual(Array(4).fill('RUNNING'));
  }
});

test('an account suspension and a grace period keep their own times and reasons', async () => {
  const { addApp, setLimit, suspend, flow, sweepAt, apps, statuses } = await harness();
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
      await harness();
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
