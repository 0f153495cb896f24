import { expect, test } from 'vitest';
import { Door } from '../../table/entities/custom-domains.ts';
import { App, Host } from '../../table/entities.ts';
import { create, replace } from '../../table/writes.ts';
import { billingWorld } from '../../test/simulation/billing.ts';
import { newDoor } from '../door-keeping.ts';
import { teardownApp } from './teardown.ts';

const HOST = 'shop.mine.co.za';
const OWN = 'shop.apps.example.com';
const OF = { accountId: 'acc_1', id: 'app_1' };

/** A deleted application with a proven domain, with a door or without. */
async function deleted(hasDoor: boolean) {
  const { deps } = billingWorld((send) => send);
  const customDomain = {
    host: HOST,
    token: 'a'.repeat(40),
    status: 'VERIFIED',
    claimedAt: '',
    checkedAt: null,
  } as const;
  const app: App = {
    ...{ ...OF, name: 'Shop', slug: 'shop', framework: 'NODE', nodeVersion: '22', repoUrl: null, branch: 'main' },
    ...{ installCommand: 'npm ci', buildCommand: null, startFile: 'server.js', status: 'DELETING', autoDeploy: false },
    ...{ primaryDomain: HOST, hosts: [OWN], customDomain, createdAt: '', updatedAt: '' },
  };
  const claim = (host: string, applicationId = OF.id) => ({ host, accountId: OF.accountId, applicationId });
  await deps.table.transact([
    create(App, app),
    create(Host, claim(HOST)),
    create(Host, claim(OWN)),
    ...(hasDoor ? [newDoor(deps, OF, customDomain)] : []),
  ]);
  const unrouted: string[] = [];
  const nothing = async () => undefined;
  const providers = {
    hostRoutes: { point: nothing, remove: async (hosts: readonly string[]) => void unrouted.push(...hosts) },
    appHost: { remove: nothing },
    appLogs: { remove: nothing },
    builds: { remove: nothing, removeCaches: nothing },
    databases: { remove: nothing },
  };
  const given = { ...deps, ...providers } as unknown as Parameters<typeof teardownApp>[0];
  return {
    deps,
    unrouted,
    teardown: () => teardownApp(given, { accountId: OF.accountId, applicationId: OF.id }),
    holder: async (host: string) => (await deps.table.get(Host, { host }))?.applicationId,
    door: async () => (await deps.table.get(Door, { host: HOST }))?.status,
    reclaim: () => deps.table.transact([replace(Host, claim(HOST, 'app_2'), {}, () => new Error('lost'))]),
  };
}

test('a domain with a door is left to its door, which is told to close', async () => {
  const { teardown, holder, door, unrouted } = await deleted(true);
  await teardown();
  await teardown();
  expect([await holder(HOST), await holder(OWN), await door()]).toEqual([OF.id, undefined, 'CLOSING']);
  expect(unrouted).toEqual([OWN]);
});

test('a domain without a door is free with its application', async () => {
  const { teardown, holder, unrouted } = await deleted(false);
  await teardown();
  expect([await holder(HOST), await holder(OWN)]).toEqual([undefined, undefined]);
  expect(unrouted).toEqual([OWN, HOST]);
});

test('a teardown that comes late takes nothing from who has claimed the domain since', async () => {
  const { teardown, holder, reclaim, unrouted } = await deleted(false);
  await reclaim();
  await teardown();
  expect([await holder(HOST), await holder(OWN)]).toEqual(['app_2', undefined]);
  expect(unrouted).toEqual([OWN]);
});
