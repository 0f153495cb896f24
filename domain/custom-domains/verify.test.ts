import { expect, test } from 'vitest';
import { App, Host } from '../../table/entities.ts';
import { change, create } from '../../table/writes.ts';
import { billingWorld } from '../../test/simulation/billing.ts';
import { reconcileCustomDomains, routeCustomDomain } from '../custom-domains.ts';
import { newCustomDomain } from '../domain-claims.ts';

const OF = { accountId: 'acc_1', id: 'app_1' };
const HOST = 'shop.mine.co.za';

/** An application with a claimed domain, a clock, and a DNS that says what it is told to. */
async function claimed() {
  const { deps, clock, memory } = billingWorld((send) => send);
  const customDomain = newCustomDomain(deps, HOST);
  const app: App = {
    ...{ ...OF, name: 'Shop', slug: 'shop', framework: 'NODE', nodeVersion: '22', repoUrl: null, branch: 'main' },
    ...{ installCommand: 'npm ci', buildCommand: null, startFile: 'server.js', status: 'RUNNING', autoDeploy: false },
    ...{ primaryDomain: HOST, hosts: ['shop.apps.example.com'], customDomain, createdAt: '', updatedAt: '' },
  };
  const claim = { host: HOST, accountId: OF.accountId, applicationId: OF.id };
  await deps.table.transact([create(App, app), create(Host, claim)]);
  const asked: string[] = [];
  const dns: { say: () => string[] } = { say: () => [] };
  const txt = {
    at: async (name: string) => {
      asked.push(name);
      return dns.say();
    },
  };
  return {
    ...{ asked, dns, clock, token: customDomain.token },
    look: () => reconcileCustomDomains({ ...deps, txt }),
    read: async () => await deps.table.get(App, OF),
    routed: async () => {
      const pointed: string[] = [];
      const nothing = async () => undefined;
      const point = async (hosts: readonly string[]) => void pointed.push(...hosts);
      await routeCustomDomain({ ...deps, hostRoutes: { point, open: nothing, remove: nothing } }, app);
      return pointed;
    },
    held: (set: Partial<Host>) => deps.table.transact([change(Host, { host: HOST }, { set })]),
    claims: () => memory.items('HOST').length,
  };
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

test('a domain is looked at a minute after its claim, and its proof ends the looking', async () => {
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

test('told of again, a domain that is given up or that another has is not routed to who had it', async () => {
  const { routed, held } = await claimed();
  expect(await routed()).toEqual([HOST]);
  await held({ leaving: true });
  expect(await routed()).toEqual([]);
  await held({ leaving: false, applicationId: 'app_2' });
  expect(await routed()).toEqual([]);
});

test('what stands in the way is said: another value, name servers that do not answer', async () => {
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

test('looks become rarer, and a claim that is not proven in two weeks is let go', async () => {
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

test('names that nobody can own need no proof', () => {
  const deps = { now: () => new Date() };
  const status = (host: string) => newCustomDomain(deps, host).status;
  for (const host of ['shop.example', 'a.test', 'my.localhost', 'www.example.com'])
    expect(status(host)).toBe('VERIFIED');
  for (const host of ['shop.co.za', 'example.co.za', 'notexample.com', 'example.com.evil.org', 'a.testing'])
    expect(status(host)).toBe('PENDING');
});
