import { expect, test, vi } from 'vitest';
import { PanelFailure } from '../../providers/hosting-panel/panel.ts';
import type { Executions } from '../../providers/workflows/executions.ts';
import { Subscription } from '../../table/entities/billing.ts';
import { HostingAccount, HostingDomain } from '../../table/entities/hosting.ts';
import { unschedule } from '../../table/schedule.ts';
import { change, create, remove } from '../../table/writes.ts';
import { hostingSimulation } from '../../test/simulation/hosting.ts';
import { applySuspension, setSuspension } from '../processes/suspension.ts';
import { sweep } from '../sweep/sweep.ts';
import { hostingQueue, reconcileHostingAccount } from './accounts.ts';
import { hostingChallenge } from './domains.ts';
import { moveHosting } from './move.ts';
import { createHostingSession, getHosting } from './subscriptions.ts';

test('hosting that is bought while no server takes new accounts is provisioned once one does', async () => {
  const { deps, set, subscribe, servers, clock } = await hostingSimulation();
  await set('web-1', false);
  const of = await subscribe();
  expect(await reconcileHostingAccount(deps, of)).toEqual({ problem: 'no hosting server takes new accounts' });
  const waiting = await deps.table.get(HostingAccount, of);
  expect(waiting).toMatchObject({ status: 'PENDING', server: '', failures: 1 });
  expect(Date.parse(waiting?.dueAt ?? '')).toBe(clock.now + 60_000);
  await set('web-1', true);
  expect(await reconcileHostingAccount(deps, of)).toEqual({});
  expect(await deps.table.get(HostingAccount, of)).toMatchObject({ status: 'ACTIVE', server: 'web-1' });
  expect([...servers.values()].map((accounts) => accounts.size)).toEqual([1]);
});

test('an account on a server has no address of a person, to which its password could be reset', async () => {
  const { deps, set, subscribe } = await hostingSimulation();
  await set('web-1', true);
  const create = vi.spyOn(deps.panel, 'create');
  expect(await reconcileHostingAccount(deps, await subscribe())).toEqual({});
  expect(create).toHaveBeenCalledOnce();
  expect(create.mock.lastCall?.[1]).not.toHaveProperty('contactEmail');
});

test.each([
  [false, false],
  [false, true],
  [true, true],
])(
  'subscriptions for one domain that are bought at once get one account, however many servers there are (earlier versions sold them: %o, %o)',
  async (...areEarlier) => {
    const { deps, set, subscribe, servers } = await hostingSimulation();
    for (const name of ['web-1', 'web-2', 'web-3', 'web-4']) await set(name, true);
    const hostingDomain = 'shop.example.com';
    for (let pair = 0; pair < 8; pair += 1) {
      const two: Subscription[] = [];
      for (const isEarlier of areEarlier) two.push(await subscribe({ hostingDomain }, { isEarlier }));
      await Promise.all(two.map((of) => reconcileHostingAccount(deps, of)));
      for (const of of two) expect(await reconcileHostingAccount(deps, of)).toEqual({});
    }
    expect([...servers.values()].flatMap((accounts) => [...accounts.values()]).map(({ domain }) => domain)).toEqual([
      hostingDomain,
    ]);
  },
);

test('hosting that is over before a server was open has ended, and can be deleted with its account', async () => {
  const { deps, set, subscribe } = await hostingSimulation();
  await set('web-1', false);
  const of = await subscribe();
  await reconcileHostingAccount(deps, of);
  const over = { status: 'CANCELLED', currentPeriodEnd: '2026-01-01T00:00:00.000Z' };
  await deps.table.write(Subscription, change(Subscription, of, { set: over }));
  expect(await reconcileHostingAccount(deps, of)).toEqual({});
  const ended = await deps.table.get(HostingAccount, of);
  expect(ended).toMatchObject({ status: 'REMOVED' });
  expect(ended).not.toHaveProperty('dueAt');
});

test('accounts of one domain on two servers, which earlier versions made, are each what their own subscription requires', async () => {
  const { deps, set, subscribe, servers } = await hostingSimulation();
  await set('web-1', true);
  await set('web-2', true);
  const hostingDomain = 'shop.example.com';
  const sell = () => subscribe({ hostingDomain }, { isEarlier: true });
  const two = [await sell(), await sell()];
  for (const [index, of] of two.entries()) {
    const account = { accountId: of.accountId, id: of.id, server: `web-${index + 1}`, username: `h${index}` };
    const item = { ...account, status: 'PENDING' as const, failures: 0, dueAt: deps.now().toISOString() };
    await deps.table.transact([create(HostingAccount, item)]);
    expect(await reconcileHostingAccount(deps, of)).toEqual({});
  }
  const [first] = two;
  if (!first) throw new Error('no subscription');
  const over = { status: 'CANCELLED', currentPeriodEnd: '2026-01-01T00:00:00.000Z' };
  await deps.table.write(Subscription, change(Subscription, first, { set: over }));
  for (const of of two) expect(await reconcileHostingAccount(deps, of)).toEqual({});
  const left = [...servers].map(([server, accounts]) => [server.slice(8, 13), [...accounts.keys()]]);
  expect(left).toEqual([
    ['web-1', []],
    ['web-2', ['h1']],
  ]);
});

test('hosting that its server did not make is tried again until it is there', async () => {
  const { deps, set, subscribe } = await hostingSimulation();
  await set('web-1', true);
  const of = await subscribe();
  const deaf = { ...deps, panel: { ...deps.panel, create: async () => undefined } };
  expect((await reconcileHostingAccount(deaf, of)).problem).toMatch(/^web-1: invalid-response: h\w+ does not exist/);
  expect(await deps.table.get(HostingAccount, of)).toMatchObject({ status: 'PENDING', failures: 1 });
  expect(await reconcileHostingAccount(deps, of)).toEqual({});
  expect(await deps.table.get(HostingAccount, of)).toMatchObject({ status: 'ACTIVE', failures: 0 });
});

test('a suspended account whose mailboxes are not listed keeps the number that was known last', async () => {
  const { deps, set, subscribe, servers } = await hostingSimulation();
  await set('web-1', true);
  const of = await subscribe();
  await reconcileHostingAccount(deps, of);
  await deps.table.write(
    Subscription,
    change(Subscription, of, { set: { status: 'SUSPENDED', panel: { status: 'ACTIVE', mailboxes: 3 } } }),
  );
  for (const accounts of servers.values())
    for (const [name, account] of accounts) accounts.set(name, { ...account, mailboxes: undefined });
  expect(await reconcileHostingAccount(deps, of)).toEqual({});
  expect((await deps.table.get(Subscription, of))?.panel).toEqual({ status: 'SUSPENDED', mailboxes: 3 });
});

test('accounts of many domains fill all servers', async () => {
  const { deps, set, subscribe, servers } = await hostingSimulation();
  for (const name of ['web-1', 'web-2']) await set(name, true);
  for (let count = 0; count < 40; count += 1) await reconcileHostingAccount(deps, await subscribe());
  for (const accounts of servers.values()) expect(accounts.size).toBeGreaterThan(5);
});

test('hosting of a suspended account is suspended on its server, and served again when lifted', async () => {
  const { deps, set, subscribe, clock } = await hostingSimulation();
  await set('web-1', true);
  const [paid, unpaid] = [await subscribe(), await subscribe({ status: 'SUSPENDED' })];
  const started: string[] = [];
  const hosting = {
    start: async (_: string, input: object) => void started.push(Reflect.get(input, 'subscriptionId')),
  };
  /** Suspends or lifts, and does what follows by the stream and the schedule. @returns the statuses of both */
  const settle = async (reason: string | null) => {
    await setSuspension(deps, { accountId: 'acc_1', reason });
    await applySuspension(deps, 'acc_1');
    clock.now += 1;
    started.length = 0;
    await sweep({ ...deps, hosting: hosting as unknown as Executions }, hostingQueue);
    for (const id of started) await reconcileHostingAccount(deps, { accountId: 'acc_1', id });
    const statusOf = async (of: Subscription) => (await deps.table.get(HostingAccount, of))?.status;
    return [await statusOf(paid), await statusOf(unpaid)];
  };
  for (const of of [paid, unpaid]) await reconcileHostingAccount(deps, of);
  expect(await settle('Phishing')).toEqual(['SUSPENDED', 'SUSPENDED']);
  expect(started).toEqual([paid.id]);
  expect(await settle(null)).toEqual(['ACTIVE', 'SUSPENDED']);
});

test('hosting that is removed while its account is being suspended stays out of the queue', async () => {
  const { deps, set, subscribe } = await hostingSimulation();
  await set('web-1', true);
  const of = await subscribe();
  await reconcileHostingAccount(deps, of);
  await setSuspension(deps, { accountId: 'acc_1', reason: 'Phishing' });
  let isFirst = true;
  const get: typeof deps.table.get = async (entity, key) => {
    const found = await deps.table.get(entity, key);
    if (!Object.is(entity, HostingAccount) || !isFirst) return found;
    isFirst = false;
    const removed = { set: { status: 'REMOVED' }, remove: unschedule(HostingAccount) } as const;
    await deps.table.transact([change(HostingAccount, of, removed)]);
    return found;
  };
  await applySuspension({ ...deps, table: { ...deps.table, get } }, 'acc_1');
  expect(await deps.table.get(HostingAccount, of)).not.toHaveProperty('dueAt');
});

test('hosting that is paid is served again where its server routes no mail of a suspended account, and routes it then', async () => {
  const { deps: before, set, subscribe, clock } = await hostingSimulation();
  await set('web-1', true);
  const of = await subscribe({ hostingDomain: 'shop.co.za' });
  const proof = hostingChallenge('acc_1', 'shop.co.za').value;
  const texts: string[] = [];
  const routed: string[] = [];
  const routeMail: typeof before.panel.routeMail = async (server, username, _, mail) => {
    if ((await before.panel.find(server, username))?.status === 'SUSPENDED')
      throw new PanelFailure('refused', 'The user is suspended.');
    routed.push(mail);
  };
  const deps = { ...before, panel: { ...before.panel, routeMail }, txt: { at: async () => texts } };
  /** Compares a day later. @returns the status, and the treatment of mail as it is stored */
  const reconcileAs = async (status: Subscription['status']) => {
    clock.now += 24 * 3600_000;
    await deps.table.write(Subscription, change(Subscription, of, { set: { status } }));
    expect(await reconcileHostingAccount(deps, of)).toEqual({});
    const account = await deps.table.get(HostingAccount, of);
    return [account?.status, account?.mail];
  };
  expect(await reconcileAs('ACTIVE')).toEqual(['ACTIVE', 'REMOTE']);
  expect(await reconcileAs('SUSPENDED')).toEqual(['SUSPENDED', 'REMOTE']);
  texts.push(proof);
  expect(await reconcileAs('SUSPENDED')).toEqual(['SUSPENDED', 'REMOTE']);
  expect(routed.splice(0)).toEqual([]);
  expect(await reconcileAs('ACTIVE')).toEqual(['ACTIVE', 'LOCAL']);
  expect(await reconcileAs('ACTIVE')).toEqual(['ACTIVE', 'LOCAL']);
  expect(routed).toEqual(['LOCAL']);
});

test('the control panel opens once the domain is proven; until then, mail is routed elsewhere each day', async () => {
  const { deps: before, set, subscribe, clock } = await hostingSimulation();
  await set('web-1', true);
  const of = await subscribe({ hostingDomain: 'shop.co.za' });
  const { name, value } = hostingChallenge('acc_1', 'shop.co.za');
  const texts: string[] = [];
  const routed: string[] = [];
  const routeMail: typeof before.panel.routeMail = async (_, __, ___, mail) => void routed.push(mail);
  const deps = { ...before, panel: { ...before.panel, routeMail }, txt: { at: async () => texts } };
  const signIn = () => createHostingSession(deps, { accountId: 'acc_1', keyId: '' }, { id: of.id });
  for (let day = 0; day < 3; day += 1) {
    expect(await reconcileHostingAccount(deps, of)).toEqual({});
    clock.now += 24 * 3600_000;
  }
  expect(routed.splice(0), 'the first day it is created so').toEqual(['REMOTE', 'REMOTE']);
  const message = expect.stringContaining(`add the TXT record ${name} with the value ${value}`);
  await expect(signIn()).rejects.toMatchObject({ code: 'conflict', message });
  texts.push(value);
  expect((await signIn()).data.url).toContain('web-1');
  const account = await deps.table.get(HostingAccount, of);
  expect(account).toMatchObject({ mail: 'REMOTE', dueAt: deps.now().toISOString() });
  expect(await reconcileHostingAccount(deps, of)).toEqual({});
  expect(await deps.table.get(HostingAccount, of)).toMatchObject({ mail: 'LOCAL' });
  expect(routed).toEqual(['LOCAL']);
});

test('a server that refuses another plan suspends what is not paid, and serves what is', async () => {
  const { deps: before, set, subscribe, servers } = await hostingSimulation();
  await set('web-1', true);
  const changePlan = async () => {
    throw new PanelFailure('refused', 'There is no such package.');
  };
  const deps = { ...before, panel: { ...before.panel, changePlan } };
  const plan = { slug: 'mail', name: 'Mail', category: 'EMAIL' } as const;
  const hostingDomain = 'shop.example.com';
  const two = [await subscribe({ hostingDomain, plan }), await subscribe({ hostingDomain })];
  const reconcileAs = async (status: Subscription['status']) => {
    for (const of of two) await deps.table.write(Subscription, change(Subscription, of, { set: { status } }));
    const problems = [];
    for (const of of two) problems.push((await reconcileHostingAccount(deps, of)).problem !== undefined);
    return [problems, [...servers.values()].flatMap((accounts) => [...accounts.values()].map((each) => each.status))];
  };
  expect(await reconcileAs('ACTIVE')).toEqual([[false, true], ['ACTIVE']]);
  expect(await reconcileAs('SUSPENDED')).toEqual([[true, true], ['SUSPENDED']]);
  expect(await reconcileAs('ACTIVE')).toEqual([[true, true], ['ACTIVE']]);
});

test('hosting that is removed while it is read live stays shown as removed', async () => {
  const { deps, set, subscribe } = await hostingSimulation();
  await set('web-1', true);
  const of = await subscribe();
  await reconcileHostingAccount(deps, of);
  const read: typeof deps.panel.read = async (server, username) => {
    const live = await deps.panel.read(server, username);
    const over = { status: 'CANCELLED', currentPeriodEnd: '2026-01-01T00:00:00.000Z' };
    await deps.table.write(Subscription, change(Subscription, of, { set: over }));
    await reconcileHostingAccount(deps, of);
    return live && { ...live, mailboxes: [{ address: 'a@example.com', quotaMb: 1 }] };
  };
  await getHosting({ ...deps, panel: { ...deps.panel, read } }, { accountId: of.accountId, keyId: '' }, { id: of.id });
  expect((await deps.table.get(Subscription, of))?.panel).toEqual({ status: 'REMOVED', mailboxes: 0 });
});

test('an account is moved to a server that there is, and to no other', async () => {
  const { deps, set, subscribe } = await hostingSimulation();
  await set('web-1', true);
  const of = await subscribe({ hostingDomain: 'shop.co.za' });
  await reconcileHostingAccount(deps, of);
  const moveTo = (server: string, id = of.id) => moveHosting(deps, { accountId: of.accountId, id, server });
  await expect(moveTo('web-99')).rejects.toMatchObject({ code: 'not_found' });
  await expect(moveTo('web-1', 'sub_0')).rejects.toMatchObject({ code: 'not_found' });
  expect((await deps.table.get(HostingAccount, of))?.server).toBe('web-1');
});

test('a check of hosting that is over and has no account frees its domain, and makes none', async () => {
  const { deps, set, subscribe } = await hostingSimulation();
  await set('web-1', true);
  const hostingDomain = 'shop.co.za';
  const of = await subscribe({ hostingDomain });
  await reconcileHostingAccount(deps, of);
  const over = { status: 'CANCELLED', currentPeriodEnd: '2026-01-01T00:00:00.000Z' };
  await deps.table.transact([change(Subscription, of, { set: over }), remove(HostingAccount, of)]);
  expect(await deps.table.get(HostingDomain, { domain: hostingDomain })).toBeDefined();
  const moved = moveHosting(deps, { accountId: of.accountId, id: of.id, server: 'web-1' });
  await expect(moved).rejects.toMatchObject({ code: 'not_found' });
  expect(await reconcileHostingAccount(deps, of)).toEqual({});
  expect(await deps.table.get(HostingAccount, of)).toBeUndefined();
  expect(await deps.table.get(HostingDomain, { domain: hostingDomain })).toBeUndefined();
  expect((await deps.table.get(Subscription, of))?.panel?.status).toBe('REMOVED');
  const shown = await getHosting(deps, { accountId: of.accountId, keyId: '' }, { id: of.id });
  expect(shown.data.panelStatus, 'as in lists').toBe('REMOVED');
});
