import { expect, test } from 'vitest';
import type { Account } from '../../table/entities/accounts.ts';
import { App, Host } from '../../table/entities/apps.ts';
import { HostClaim } from '../../table/entities/custom-domains.ts';
import { change, create } from '../../table/writes.ts';
import { newSimulatedAccount } from '../../test/simulation/account.ts';
import { simulatedApp } from '../../test/simulation/app.ts';
import { billingSimulation } from '../../test/simulation/billing.ts';
import { newSimulatedDomain } from '../../test/simulation/domains.ts';
import { immediateStore, simulatedRoutes } from '../../test/simulation/routes.ts';
import { inEveryCell } from '../../test/support/cells.ts';
import { sweep } from '../sweep/sweep.ts';
import { claimWrites, firstCheckAt, newCustomDomain } from './claim.ts';
import { acceptRegisteredDomain, customDomainQueue, routeCustomDomain, unrouteCustomDomain } from './verify.ts';

const OF = { accountId: 'acc_1', id: 'app_1' };
const HOST = 'shop.mine.co.za';

/** Sets up an application with a claimed domain, a clock and a DNS with configurable answers. */
async function claimed(account: Partial<Account> = {}) {
  const { deps, clock, memory } = billingSimulation({});
  const customDomain = newCustomDomain(deps, HOST);
  const app = simulatedApp({
    ...OF,
    name: 'Shop',
    slug: 'shop',
    primaryDomain: HOST,
    hosts: ['shop.apps.example.com'],
    customDomain,
    dueAt: firstCheckAt(customDomain) ?? '',
  });
  const of = { accountId: OF.accountId, applicationId: OF.id };
  const taken = () => new Error('taken');
  await deps.table.transact([
    create(App, app),
    ...claimWrites(of, customDomain, { contested: false, taken }),
    newSimulatedAccount(OF.accountId, account),
  ]);
  const asked: string[] = [];
  const dns: { say: () => string[] } = { say: () => [] };
  const txt = {
    at: async (name: string) => {
      asked.push(name);
      return dns.say();
    },
  };
  return {
    deps,
    asked,
    dns,
    clock,
    token: customDomain.token,
    look: async () => (await sweep({ ...deps, txt }, customDomainQueue)).done,
    read: async () => await deps.table.get(App, OF),
    routed: async () => {
      const pointed: string[] = [];
      const point = async (hosts: readonly string[]) => void pointed.push(...hosts);
      await routeCustomDomain({ ...deps, ...inEveryCell({ hostRoutes: { point } }) }, app);
      return pointed;
    },
    /** Removes the route while the domain is claimed again and routed. @returns the routes */
    unrouted: async () => {
      const { store, entries } = immediateStore();
      const hostRoutes = simulatedRoutes(deps, store, clock);
      const remove = async (...given: Parameters<typeof hostRoutes.remove>) => {
        await deps.table.transact([
          create(Host, { host: HOST, ...of }),
          change(App, app, { set: { 'customDomain.status': 'VERIFIED' } }),
        ]);
        await routeCustomDomain({ ...deps, ...inEveryCell({ hostRoutes }) }, app);
        await hostRoutes.remove(...given);
      };
      await unrouteCustomDomain({ ...deps, ...inEveryCell({ hostRoutes: { remove } }) }, app, HOST);
      return Object.entries(entries());
    },
    hold: () => deps.table.transact([create(Host, { host: HOST, ...of })]),
    held: (set: Partial<Host>) => deps.table.transact([change(Host, { host: HOST }, { set })]),
    claims: () => memory.items(HostClaim.type).length + memory.items(Host.type).length,
  };
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

test('checks a domain a minute after its claim, and stops once it is verified', async () => {
  const { look, read, clock, dns, token, asked } = await claimed();
  expect(await look()).toBe(0);
  clock.now += MINUTE;
  expect(await look()).toBe(1);
  expect(asked).toEqual([`_hosting-challenge.${HOST}`]);
  expect((await read())?.customDomain).toMatchObject({ status: 'PENDING', problem: expect.stringContaining('no TXT') });
  clock.now += MINUTE;
  dns.say = () => ['v=spf1 -all', token];
  expect(await look()).toBe(1);
  const proven = (await read())?.customDomain;
  expect(proven).toMatchObject({ status: 'VERIFIED', checkedAt: new Date(clock.now).toISOString() });
  expect(proven).not.toHaveProperty('problem');
  clock.now += DAY;
  expect(await look()).toBe(0);
});

test.each([
  ['its own account has registered the domain', 'acc_1', undefined, 'VERIFIED'],
  ['another account has registered the domain', 'acc_2', undefined, 'PENDING'],
  ['another application has an unverified claim from before', 'acc_1', 'app_2', 'PENDING'],
  ['the application itself has one', 'acc_1', 'app_1', 'VERIFIED'],
] as const)('a new claim if %s is %s %s %s', async (_, accountId, applicationId, status) => {
  const { deps, read } = await claimed();
  await newSimulatedDomain(deps, { accountId, name: 'mine.co.za' });
  if (applicationId) await deps.table.transact([create(Host, { host: HOST, accountId: 'acc_1', applicationId })]);
  const app = await read();
  await acceptRegisteredDomain(deps, app ?? expect.fail('no application'));
  expect((await read())?.customDomain?.status).toBe(status);
  expect((await deps.table.get(Host, { host: HOST }))?.verifiedAt !== undefined).toBe(status === 'VERIFIED');
});

test('a redelivered event does not route a released or reclaimed domain to its former owner', async () => {
  const { routed, hold, held } = await claimed();
  expect(await routed()).toEqual([]);
  await hold();
  expect(await routed()).toEqual([HOST]);
  await held({ releasing: true });
  expect(await routed()).toEqual([]);
  await held({ releasing: false, applicationId: 'app_2' });
  expect(await routed()).toEqual([]);
});

test('a domain that is claimed again while its route is removed keeps its route', async () => {
  const { unrouted } = await claimed();
  expect(await unrouted()).toEqual([[HOST, '@shop.apps.example.com']]);
});

test('reports the reason: another value, or name servers that do not respond', async () => {
  const { look, read, clock, dns } = await claimed();
  dns.say = () => ['something else'];
  clock.now += MINUTE;
  await look();
  expect((await read())?.customDomain?.problem).toMatch(/another value/);
  dns.say = () => {
    throw new Error('SERVFAIL');
  };
  clock.now += MINUTE;
  await look();
  expect((await read())?.customDomain?.problem).toMatch(/do not answer/);
});

test('checks become rarer, and an unverified claim expires after two weeks', async () => {
  const { look, read, clock, asked, claims } = await claimed();
  for (let minute = 0; minute < 14 * 24 * 60; minute += 1) {
    clock.now += MINUTE;
    await look();
  }
  expect(asked.length).toBeLessThan(14 * 24 + 20);
  expect(await read()).toMatchObject({ primaryDomain: HOST, customDomain: { status: 'PENDING' } });
  clock.now += 2 * 60 * MINUTE;
  await look();
  const app = await read();
  expect(app?.primaryDomain).toBe('shop.apps.example.com');
  expect(app).not.toHaveProperty('customDomain');
  expect(claims()).toBe(0);
});

test('names that cannot be owned need no verification', () => {
  const deps = { now: () => new Date() };
  const status = (host: string) => newCustomDomain(deps, host).status;
  for (const host of ['shop.example', 'a.test', 'my.localhost', 'www.example.com'])
    expect(status(host)).toBe('VERIFIED');
  for (const host of ['shop.co.za', 'example.co.za', 'notexample.com', 'example.com.evil.org', 'a.testing'])
    expect(status(host)).toBe('PENDING');
});

test('verifies a claim only while certificates remain for the day', async () => {
  const { look, read, clock, dns, token } = await claimed({ limits: { certificatesPerDay: 0 } });
  dns.say = () => [token];
  clock.now += MINUTE;
  expect(await look()).toBe(1);
  expect((await read())?.customDomain?.status).toBe('PENDING');
  // It is checked again later, and is no failure of the sweep.
  expect((await read())?.dueAt).toBe(new Date(clock.now + 60 * MINUTE).toISOString());
});
