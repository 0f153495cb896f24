import { expect, test } from 'vitest';
import { Host, verifiedHostsNear } from '../../table/entities/apps.ts';
import { Domain } from '../../table/entities/registrar.ts';
import { change, create } from '../../table/writes.ts';
import { billingSimulation } from '../../test/simulation/billing.ts';
import { ADDRESS as EDGE, edgeTenantSimulation, HOST, KEYS } from '../../test/simulation/custom-domains.ts';
import { newSimulatedDomain } from '../../test/simulation/domains.ts';
import { inEveryCell } from '../../test/support/cells.ts';
import { newCustomDomain } from './claim.ts';
import { closeTenant, newTenant } from './reconciliation.ts';
import { findEnclosingDomains, setZoneAlias, setZoneAliases } from './zone-alias.ts';

const ADDRESS = 'd1.cloudfront.net';
async function world() {
  const { deps } = billingSimulation({});
  const open = (accountId: string, name: string, fields: Partial<Domain> = {}) =>
    newSimulatedDomain(deps, { accountId, name, ...fields });
  const lead = (host: string, address: string | undefined = ADDRESS, accountId = 'acc_1') =>
    setZoneAlias(deps, { accountId, host }, address);
  return { deps, open, lead };
}

test('the closest zone of the account points the host here once, and removes the records again', async () => {
  const { deps, open, lead } = await world();
  const [above, below] = [await open('acc_1', 'x.co.za'), await open('acc_1', 'shop.x.co.za')];
  expect((await findEnclosingDomains(deps, 'acc_1', 'a.shop.x.co.za')).map(({ name }) => name)).toEqual([
    'shop.x.co.za',
    'x.co.za',
  ]);
  expect(await lead('a.shop.x.co.za')).toEqual({ isManaged: true, changed: true });
  expect(await lead('a.shop.x.co.za')).toEqual({ isManaged: true, changed: false });
  expect(await below()).toMatchObject({ aliases: { 'a.shop.x.co.za': ADDRESS }, version: 2 });
  expect((await above())?.version).toBe(1);
  expect(await lead('shop.x.co.za')).toEqual({ isManaged: true, changed: true });
  expect(await setZoneAlias(deps, { accountId: 'acc_1', host: 'a.shop.x.co.za' }, undefined)).toMatchObject({
    changed: true,
  });
  expect(await below()).toMatchObject({ aliases: { 'shop.x.co.za': ADDRESS }, version: 4 });
});

test('a domain that is added later gets the aliases of the account’s served hosts at and below it, and no others', async () => {
  const { deps, open } = await world();
  const serve = async (host: string, accountId: string, { hasTenant = true } = {}) => {
    const customDomain = newCustomDomain(deps, host);
    const ids = { accountId, applicationId: `app_${host}` };
    await deps.table.transact([
      create(Host, { host, ...ids, ...verifiedHostsNear(host) }),
      ...(hasTenant ? [newTenant(deps, { accountId, id: ids.applicationId }, customDomain)] : []),
    ]);
    return { host, token: customDomain.token };
  };
  await serve('x.co.za', 'acc_1');
  await serve('a.x.co.za', 'acc_1');
  await serve('theirs.x.co.za', 'acc_2');
  await serve('reserved.x.co.za', 'acc_1', { hasTenant: false });
  await closeTenant(deps, await serve('closing.x.co.za', 'acc_1'));
  await serve('notx.co.za', 'acc_1');
  const zone = await open('acc_1', 'x.co.za');
  const cells = inEveryCell({ edgeEndpoint: ADDRESS });
  await setZoneAliases({ ...deps, ...cells }, { accountId: 'acc_1', name: 'x.co.za' });
  expect((await zone())?.aliases).toEqual({ 'x.co.za': ADDRESS, 'a.x.co.za': ADDRESS });
});

test("leaves another account's zone, one with external name servers and an unregistered one alone", async () => {
  const { open, lead } = await world();
  const zones = [
    await open('acc_2', 'theirs.co.za'),
    await open('acc_1', 'elsewhere.co.za', { dnsProvider: 'EXTERNAL' }),
    await open('acc_1', 'expired.co.za', { status: 'EXPIRED' }),
  ];
  for (const host of ['www.theirs.co.za', 'elsewhere.co.za', 'expired.co.za', 'unclaimed.co.za'])
    expect(await lead(host)).toEqual({ isManaged: false, changed: false });
  for (const zone of zones) expect((await zone())?.version).toBe(1);
});

test('a served domain whose zone is added to the account later gets its alias there within a day', async () => {
  const { deps, clock, check, checkUntil, read } = await edgeTenantSimulation();
  await checkUntil((tenant) => tenant?.status === 'ISSUED');
  const zone = await newSimulatedDomain(deps, { accountId: 'acc_1', name: 'mine.co.za' });
  clock.now += 86_400_000;
  await check();
  expect((await zone())?.aliases).toEqual({ [HOST]: EDGE });
  await checkUntil((tenant) => tenant?.status === 'ISSUED');
  await closeTenant(deps, KEYS);
  await checkUntil((tenant) => tenant === undefined);
  expect(await read()).toBeUndefined();
  expect((await zone())?.aliases).toEqual({});
});

test('a custom domain that is removed while the registrar does not list its domain leaves no alias in the zone', async () => {
  const { deps, checkUntil } = await edgeTenantSimulation();
  const zone = await newSimulatedDomain(deps, { accountId: 'acc_1', name: 'mine.co.za' });
  await checkUntil((tenant) => tenant?.status === 'ISSUED');
  expect((await zone())?.aliases).toEqual({ [HOST]: EDGE });
  const denied = { set: { absentSince: deps.now().toISOString() } };
  await deps.table.transact([change(Domain, { accountId: 'acc_1', id: 'dom_mine.co.za' }, denied)]);
  await closeTenant(deps, KEYS);
  await checkUntil((tenant) => tenant === undefined);
  expect((await zone())?.aliases).toEqual({});
});
