import { expect, test } from 'vitest';
import { Account } from '../../table/entities/accounts.ts';
import { App, Host } from '../../table/entities/apps.ts';
import { DistributionTenant, HostClaim } from '../../table/entities/custom-domains.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import { Event } from '../../table/entities/webhooks.ts';
import { change, create, replace } from '../../table/writes.ts';
import { newSimulatedAccount } from '../../test/simulation/account.ts';
import { simulatedApp } from '../../test/simulation/app.ts';
import { billingSimulation } from '../../test/simulation/billing.ts';
import { immediateStore, simulatedRoutes } from '../../test/simulation/routes.ts';
import { inEveryCell } from '../../test/support/cells.ts';
import { newTenant } from '../custom-domains/reconciliation.ts';
import { startTeardown } from '../deployments/executions.ts';
import { incidentsOfEvent } from './incidents.ts';
import { teardownApp } from './teardown.ts';

const HOST = 'shop.mine.co.za';
const OWN = 'shop.apps.example.com';
const OF = { accountId: 'acc_1', id: 'app_1' };

/** Sets up a deleted application with a verified domain, with or without a tenant. */
async function deleted(hasDoor: boolean) {
  const { deps, memory, clock } = billingSimulation({});
  const customDomain = {
    host: HOST,
    token: 'a'.repeat(40),
    status: 'VERIFIED',
    claimedAt: '',
    checkedAt: null,
  } as const;
  const app = simulatedApp({
    ...OF,
    name: 'Shop',
    slug: 'shop',
    status: 'DELETING',
    primaryDomain: HOST,
    hosts: [OWN],
    customDomain,
  });
  const claim = (host: string, applicationId = OF.id) => ({ host, accountId: OF.accountId, applicationId });
  await deps.table.transact([
    create(App, app),
    create(Host, claim(HOST)),
    create(Host, claim(OWN)),
    ...(hasDoor ? [newTenant(deps, OF, customDomain)] : []),
  ]);
  const { store, entries } = immediateStore();
  const point = (host: string, target: string) => ({ kind: 'point' as const, hosts: [host], target });
  await store.update(await store.version(), [point(OWN, 'release'), point(HOST, `@${OWN}`)]);
  const nothing = async () => undefined;
  const hostRoutes = simulatedRoutes(deps, store, clock);
  const unrouted: string[] = [];
  const remove = (hosts: readonly string[], applicationId: string) => {
    unrouted.push(...hosts);
    return hostRoutes.remove(hosts, applicationId);
  };
  const providers = {
    ...inEveryCell({
      hostRoutes: { remove },
      appHost: { remove: nothing },
      appLogs: { remove: nothing },
    }),
    builds: { remove: nothing, removeCaches: nothing },
    databases: { remove: nothing },
  };
  const given = { ...deps, ...providers } as unknown as Parameters<typeof teardownApp>[0];
  return {
    deps,
    memory,
    /** The names whose routes it has asked to remove. */
    unrouted,
    routes: entries,
    teardown: () => teardownApp(given, { accountId: OF.accountId, applicationId: OF.id }),
    /** A teardown that fails after it removed the routes. */
    failing: () =>
      teardownApp(
        { ...given, builds: { ...given.builds, removeCaches: () => Promise.reject(new Error('no answer')) } },
        { accountId: OF.accountId, applicationId: OF.id },
      ),
    holder: async (host: string) => (await deps.table.get(Host, { host }))?.applicationId,
    tenantStatus: async () => (await deps.table.get(DistributionTenant, { host: HOST }))?.status,
    /** Another application gets the domain. */
    async reclaim() {
      await deps.table.transact([replace(Host, claim(HOST, 'app_2'), {}, () => new Error('lost'))]);
      await store.update(await store.version(), [point(HOST, '@next')]);
    },
  };
}

test("ends a domain's route at once, and leaves the rest of one with a tenant to the tenant's deletion", async () => {
  const { teardown, holder, tenantStatus, routes } = await deleted(true);
  await teardown();
  await teardown();
  expect([await holder(HOST), await holder(OWN), await tenantStatus()]).toEqual([OF.id, undefined, 'CLOSING']);
  // Its target is free for others in a moment.
  expect(routes()).toEqual({});
});

test('removes the claim of a domain that was not verified, and no claim of another application', async () => {
  for (const applicationId of [OF.id, 'app_2']) {
    const { deps, teardown } = await deleted(false);
    const of = { host: HOST, accountId: OF.accountId };
    await deps.table.transact([create(HostClaim, { ...of, applicationId })]);
    await teardown();
    const left = await deps.table.get(HostClaim, of);
    expect(left?.applicationId).toBe(applicationId === OF.id ? undefined : applicationId);
  }
});

test('frees a domain without a tenant together with its application', async () => {
  const { teardown, holder, routes } = await deleted(false);
  await teardown();
  expect([await holder(HOST), await holder(OWN)]).toEqual([undefined, undefined]);
  expect(routes()).toEqual({});
});

test('frees the names before the rest is removed, and a repeated run takes no route from their next owner', async () => {
  const { holder, reclaim, routes, failing } = await deleted(false);
  await expect(failing()).rejects.toThrow('no answer');
  expect([await holder(HOST), await holder(OWN)]).toEqual([undefined, undefined]);
  await reclaim();
  await expect(failing()).rejects.toThrow('no answer');
  expect(routes()).toEqual({ [HOST]: '@next' });
  expect(await holder(HOST)).toBe('app_2');
});

test('a late teardown takes nothing from a later owner of the domain', async () => {
  const { teardown, holder, reclaim, routes, unrouted } = await deleted(false);
  await reclaim();
  await teardown();
  expect([await holder(HOST), await holder(OWN)]).toEqual(['app_2', undefined]);
  expect(routes()).toEqual({ [HOST]: '@next' });
  // A process of an older version that holds the writer's lease removes all routes that it is asked to remove.
  expect(unrouted).toEqual([OWN]);
});

test('what a release step made after the teardown, and died before it took it down, goes with the second run', async () => {
  const { deps } = await deleted(false);
  const functions = new Set<string>();
  const logs = new Set<string>();
  const nothing = async () => undefined;
  const parts = (cellId: string) => ({
    hostRoutes: { remove: nothing },
    appHost: { remove: async (id: string) => void functions.delete(`${cellId} ${id}`) },
    appLogs: { remove: async (id: string) => void logs.delete(`${cellId} ${id}`) },
  });
  const given = {
    ...deps,
    cellOf: async ({ cellId = 'home' }) => parts(cellId),
    builds: { remove: nothing, removeCaches: nothing },
    databases: { remove: nothing },
  } as unknown as Parameters<typeof teardownApp>[0];
  await deps.table.transact([change(App, OF, { set: { cellId: 'b', activeDeploymentId: 'dep_1' } })]);
  const started: unknown[] = [];
  const app = await deps.table.get(App, OF);
  if (!app) throw new Error('no application');
  const executions = {
    start: async (_: string, input: object) => void started.push(input),
    status: async () => 'RUNNING' as const,
    stop: nothing,
  };
  await startTeardown({ ...deps, deployments: executions, teardowns: executions, buildRunner: { stop: nothing } }, app);
  const [input] = started as [Parameters<typeof teardownApp>[1]];
  await teardownApp(given, input);
  functions.add('b app_1');
  logs.add('b app_1');
  await teardownApp(given, input);
  expect([...functions, ...logs]).toEqual([]);
});

test('ends each unfinished deployment once, with its event and without a notification', async () => {
  const { deps, memory, teardown } = await deleted(false);
  const { accountId, id: applicationId } = OF;
  const deployment = (id: string, more: Partial<Deployment>) =>
    create(Deployment, {
      id,
      accountId,
      applicationId,
      trigger: 'API',
      commitSha: 'abc',
      startedAt: '',
      notes: [],
      ...more,
      status: more.status ?? 'RUNNING',
      finishedAt: more.finishedAt ?? null,
    });
  const begun = { admittedAt: '2026-01-31T08:00:00.000Z', beganAt: '2026-01-31T08:00:00.000Z' };
  await deps.table.transact([
    newSimulatedAccount(accountId, { buildCount: 1 }),
    deployment('dep_1', { status: 'SUCCEEDED', finishedAt: '2026-01-31T07:00:00.000Z' }),
    deployment('dep_2', { ...begun }),
    deployment('dep_3', { status: 'QUEUED', waiting: true }),
    change(App, OF, { set: { activeDeploymentId: 'dep_2', nextDeploymentId: 'dep_3' } }),
  ]);
  await teardown();
  await teardown();
  const events = memory.items('EVENT').map((item) => Event.parse(item));
  expect(events.map(({ type, data }) => [type, data.deploymentId]).toSorted()).toEqual([
    ['deployment.failed', 'dep_2'],
    ['deployment.failed', 'dep_3'],
  ]);
  expect(await deps.table.get(Account, { id: accountId })).toMatchObject({ buildCount: 0 });
  expect(memory.items('DEPLOYMENT')).toEqual([]);
  for (const event of events) expect(await incidentsOfEvent(deps, event)).toEqual([]);
});
