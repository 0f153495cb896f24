import { expect, test } from 'vitest';
import { App, Host, verifiedHostsNear } from '../../table/entities/apps.ts';
import { DistributionTenant } from '../../table/entities/custom-domains.ts';
import { Domain, DomainName } from '../../table/entities/registrar.ts';
import { change, create, remove } from '../../table/writes.ts';
import { newSimulatedAccount } from '../../test/simulation/account.ts';
import { simulatedApp } from '../../test/simulation/app.ts';
import { simulatedDomain } from '../../test/simulation/domains.ts';
import { simulation } from '../../test/simulation/simulation.ts';
import { inEveryCell } from '../../test/support/cells.ts';
import { sweep } from '../sweep/sweep.ts';
import { newCustomDomain } from './claim.ts';
import { ownershipQueue, startVerifications } from './ownership.ts';
import { newTenant } from './reconciliation.ts';
import { endClaimsOfEnded, endClaimsUnder } from './release.ts';
import { removeCustomDomain, setCustomDomain } from './set-remove.ts';
import { checkCustomDomain, customDomainQueue, getCustomDomain, noSuchCustomDomain } from './verify.ts';

const DAY = 86_400_000;
const HOST = 'shop.mine.co.za';
const CHALLENGE = `_hosting-challenge.${HOST}`;
const caller = (accountId: string) => ({ accountId, keyId: '' });

/** Sets up an application for each account, and name servers with configurable texts. */
async function accounts(...names: string[]) {
  const { steady, clock, memory } = simulation();
  const texts = new Map<string, string[] | 'silent'>();
  const txt = {
    at: async (name: string) => {
      const found = texts.get(name) ?? [];
      if (found === 'silent') throw new Error('SERVFAIL');
      return found;
    },
  };
  const deps = { ...steady.deps, txt, ...inEveryCell({ edgeEndpoint: 'd1.cloudfront.net' }) };
  const addApp = (id: string, accountId: string) =>
    create(App, simulatedApp({ id, accountId, primaryDomain: `${id}.apps`, hosts: [`${id}.apps`] }));
  await deps.table.transact(names.flatMap((name) => [addApp(`app_${name}`, name), newSimulatedAccount(name)]));
  const id = (name: string) => ({ id: `app_${name}` });
  const set = async (name: string, domain = HOST, app = id(name).id) => {
    const answer = await setCustomDomain(deps, caller(name), { id: app, domain }).catch((error) => error.code);
    return typeof answer === 'string' ? answer : answer.data;
  };
  const show = async (name: string) => {
    const { data } = await getCustomDomain(deps, caller(name), id(name));
    if (!data) throw noSuchCustomDomain();
    return data;
  };
  const token = async (name: string) => (await show(name)).challenge.value;
  const check = async (name: string) => (await checkCustomDomain(deps, caller(name), id(name))).data;
  /** Ends released hosts with their tenants, as the reconciliation of tenants does. */
  const closeTenants = async () => {
    for (const tenant of memory.items(DistributionTenant.type).map((item) => DistributionTenant.parse(item))) {
      if (tenant.status !== 'CLOSING') continue;
      const { host } = tenant;
      await deps.table.transact([remove(DistributionTenant, { host }), remove(Host, { host })]);
    }
  };
  const sweepAll = async () => {
    await sweep(deps, customDomainQueue);
    await sweep(deps, ownershipQueue);
    await closeTenants();
  };
  const pass = async (days: number) => {
    for (let hour = 0; hour < days * 24; hour += 6) {
      clock.now += 6 * 3_600_000;
      await sweepAll();
    }
  };
  const register = async (accountId: string, name: string, registeredAt = deps.now().toISOString()) => {
    const domainId = `dom_${accountId}`;
    await deps.table.transact([
      create(DomainName, { name, accountId, domainId }),
      create(Domain, simulatedDomain({ id: domainId, accountId, name, registeredAt, dnsProvider: 'EXTERNAL' })),
    ]);
    await endClaimsUnder(deps, name, registeredAt);
  };
  const expire = async (accountId: string, name: string) => {
    const ends = change(Domain, { accountId, id: `dom_${accountId}` }, { set: { status: 'EXPIRED' } });
    await deps.table.transact([ends, remove(DomainName, { name })]);
    await endClaimsUnder(deps, name, deps.now().toISOString());
  };
  const holder = async (host = HOST) => (await deps.table.get(Host, { host }))?.accountId;
  return {
    deps,
    clock,
    memory,
    texts,
    addApp,
    set,
    show,
    token,
    check,
    pass,
    closeTenants,
    register,
    expire,
    holder,
  };
}

const NONE = 'not_found';
const domainOf = async (work: Promise<{ domain: string }>) =>
  work.then(({ domain }) => domain).catch((error) => error.code);

test('of two accounts that claim a domain, the one with the proof gets it, and the other sees the reason', async () => {
  const { deps, addApp, set, texts, token, check, show, holder, pass } = await accounts('victim', 'thief');
  await deps.table.transact([addApp('app_second', 'thief')]);
  expect(await set('thief')).toMatchObject({ status: 'PENDING' });
  expect(await set('thief', HOST, 'app_second'), 'a second application of the account').toBe('conflict');
  expect(await set('victim')).toMatchObject({ status: 'PENDING' });
  texts.set(CHALLENGE, [await token('victim')]);
  expect(await check('thief')).toMatchObject({ status: 'PENDING', problem: expect.stringMatching(/another value/) });
  expect(await check('victim')).toMatchObject({ status: 'VERIFIED', problem: null, claimedUntil: null });
  expect(await holder()).toBe('victim');
  texts.set(CHALLENGE, [await token('victim'), await token('thief')]);
  expect(await check('thief')).toMatchObject({
    status: 'PENDING',
    problem: expect.stringMatching(/Another account has verified/),
  });
  await pass(30);
  expect(await holder()).toBe('victim');
  expect(await domainOf(show('thief')), 'the claim expires').toBe(NONE);
  expect(await set('thief')).toBe('conflict');
});

test('an application whose deletion begins while its custom domain is set claims no domain', async () => {
  const { deps, holder } = await accounts('a');
  const of = { accountId: 'a', id: 'app_a' };
  const get: typeof deps.table.get = async (entity, key) => {
    const found = await deps.table.get(entity, key);
    if (entity.type === App.type) await deps.table.write(App, change(App, of, { set: { status: 'DELETING' } }));
    return found;
  };
  const setting = setCustomDomain({ ...deps, table: { ...deps.table, get } }, caller('a'), { id: of.id, domain: HOST });
  await expect(setting).rejects.toMatchObject({ code: 'not_found' });
  expect([await holder(), (await deps.table.get(App, of))?.customDomain]).toEqual([undefined, undefined]);
});

test('of two claims that are proven at the same time, exactly one is accepted', async () => {
  for (let round = 0; round < 20; round += 1) {
    const { set, texts, token, check, show, memory } = await accounts('a', 'b');
    await Promise.all([set('a'), set('b')]);
    texts.set(CHALLENGE, [await token('a'), await token('b')]);
    await Promise.all([check('a'), check('b')]);
    const statuses = [(await show('a')).status, (await show('b')).status].sort();
    expect(statuses).toEqual(['PENDING', 'VERIFIED']);
    expect([memory.items('HOST').length, memory.items('DOOR').length]).toEqual([1, 1]);
  }
});

test('a claim that is renewed indefinitely never excludes the owner', async () => {
  const { deps, set, pass, texts, token, check, holder } = await accounts('thief', 'victim');
  for (let renewal = 0; renewal < 4; renewal += 1) {
    expect(await set('thief')).toMatchObject({ status: 'PENDING' });
    await pass(13);
    await removeCustomDomain(deps, caller('thief'), { id: 'app_thief' });
  }
  await set('thief');
  expect(await set('victim')).toMatchObject({ status: 'PENDING' });
  texts.set(CHALLENGE, [await token('victim')]);
  await check('victim');
  expect(await holder()).toBe('victim');
});

test('ownership is verified every week, and a domain without proof is released after seven days', async () => {
  const { set, texts, token, check, show, pass, holder, memory } = await accounts('owner');
  await set('owner');
  texts.set(CHALLENGE, [await token('owner')]);
  await check('owner');
  await pass(50);
  expect(await show('owner')).toMatchObject({ status: 'VERIFIED', problem: null, claimedUntil: null });
  texts.delete(CHALLENGE);
  await pass(7);
  const shown = await show('owner');
  expect(shown).toMatchObject({ status: 'VERIFIED', problem: expect.stringMatching(/is missing\. Restore it before/) });
  expect(shown.claimedUntil).not.toBeNull();
  await pass(5);
  expect(await show('owner')).toMatchObject({ status: 'VERIFIED' });
  await pass(3);
  expect(await domainOf(show('owner'))).toBe(NONE);
  expect(await holder()).toBeUndefined();
  expect(memory.items('DOOR')).toEqual([]);
});

test('a proof that is restored within the grace period ends it, immediately if the owner requests a check', async () => {
  const { set, texts, token, check, show, pass } = await accounts('owner');
  await set('owner');
  const value = await token('owner');
  texts.set(CHALLENGE, [value]);
  await check('owner');
  texts.set(CHALLENGE, 'silent');
  await pass(10);
  expect((await show('owner')).problem).toMatch(/is missing/);
  texts.set(CHALLENGE, [value]);
  expect(await check('owner')).toMatchObject({ status: 'VERIFIED', problem: null, claimedUntil: null });
  await pass(60);
  expect(await show('owner')).toMatchObject({ status: 'VERIFIED', problem: null });
});

test('while the proof is missing, another account may claim the domain, and gets it once it proves its ownership', async () => {
  const { set, texts, token, check, pass, holder, show, closeTenants } = await accounts('former', 'next');
  await set('former');
  texts.set(CHALLENGE, [await token('former')]);
  await check('former');
  expect(await set('next'), 'a proven domain').toBe('conflict');
  texts.set(CHALLENGE, ['something else']);
  await pass(8);
  expect(await set('next')).toMatchObject({ status: 'PENDING' });
  texts.set(CHALLENGE, [await token('next')]);
  expect(await check('next')).toMatchObject({ status: 'PENDING', problem: expect.stringMatching(/being released/) });
  expect(await domainOf(show('former'))).toBe(NONE);
  await closeTenants();
  expect(await check('next')).toMatchObject({ status: 'VERIFIED' });
  expect(await holder()).toBe('next');
});

test('no account loses a domain because its name servers do not answer', async () => {
  const { deps, set, texts, token, check, holder } = await accounts('owner', 'thief');
  await Promise.all([set('owner'), set('thief')]);
  texts.set(CHALLENGE, [await token('owner')]);
  await check('owner');
  const answers: (string[] | 'silent')[] = [[await token('thief')], 'silent'];
  const txt = {
    at: async () => {
      const answer = answers.shift() ?? 'silent';
      if (answer === 'silent') throw new Error('SERVFAIL');
      return answer;
    },
  };
  const { data } = await checkCustomDomain({ ...deps, txt }, caller('thief'), { id: 'app_thief' });
  expect(data.problem).toMatch(/Another account has verified/);
  expect(await holder()).toBe('owner');
});

test('when a registration ends, all claims of the domain and below it end, and those of its neighbors stay', async () => {
  const { deps, memory, register, expire } = await accounts();
  const claims = [
    ['owner', 'mine.co.za'],
    ['owner', 'shop.mine.co.za'],
    ['agency', 'a.b.mine.co.za'],
    ['other', 'minestrone.co.za'],
    ['other', 'mine-too.co.za'],
    ['other', 'co.za.com'],
    ...Array.from({ length: 120 }, (_, index) => ['agency', `n${index}.mine.co.za`]),
  ].map(([accountId = '', host = ''], index) => ({ accountId, host, id: `app_${index}` }));
  await register('owner', 'mine.co.za');
  for (const { accountId, host, id } of claims) {
    const customDomain = { ...newCustomDomain(deps, host), status: 'VERIFIED' as const };
    await deps.table.transact([
      create(App, simulatedApp({ id, accountId, primaryDomain: host, hosts: [`${id}.apps`], customDomain })),
      create(Host, { host, accountId, applicationId: id, verifiedAt: '2020-01-01T00:00:00.000Z' }),
      newTenant(deps, { accountId, id }, customDomain),
    ]);
  }
  await expire('owner', 'mine.co.za');
  const kept = memory.items('APP').flatMap((item) => App.parse(item).customDomain?.host ?? []);
  expect(kept.sort()).toEqual(['co.za.com', 'mine-too.co.za', 'minestrone.co.za']);
  const open = memory.items('DOOR').filter(({ status }) => status !== 'CLOSING');
  expect(open).toHaveLength(3);
});

test('a domain that another account registers here takes the verified domain from its former owner', async () => {
  const { clock, set, check, show, register, holder, closeTenants, texts, token, deps } = await accounts(
    'former',
    'next',
  );
  await set('former');
  texts.set(CHALLENGE, [await token('former')]);
  await check('former');
  clock.now += DAY;
  await register('next', 'mine.co.za');
  expect(await domainOf(show('former'))).toBe(NONE);
  await closeTenants();
  texts.set(CHALLENGE, []);
  await set('next');
  expect(await check('next')).toMatchObject({ status: 'VERIFIED' });
  expect(await holder()).toBe('next');
  // A stranger's claim can be verified by the DNS of that account alone, and a late event does not end it.
  await removeCustomDomain(deps, caller('next'), { id: 'app_next' });
  await closeTenants();
  await set('former');
  expect(await check('former')).toMatchObject({ status: 'PENDING' });
  clock.now += DAY;
  texts.set(CHALLENGE, [await token('former')]);
  expect(await check('former')).toMatchObject({ status: 'VERIFIED' });
  await endClaimsUnder(deps, 'mine.co.za', new Date(clock.now - DAY).toISOString());
  expect(await check('former')).toMatchObject({ status: 'VERIFIED' });
});

test('a domain that left the registrar proves nothing, and its end leaves the claims of its next owner', async () => {
  const { deps, clock, set, check, register, holder, pass, closeTenants, texts, token, addApp, show } = await accounts(
    'former',
    'next',
  );
  await deps.table.transact([addApp('app_other', 'former')]);
  await register('former', 'mine.co.za');
  clock.now += DAY;
  await set('former');
  await set('former', 'other.mine.co.za', 'app_other');
  await check('former');
  await checkCustomDomain(deps, caller('former'), { id: 'app_other' });
  expect([await holder(), await holder('other.mine.co.za')]).toEqual(['former', 'former']);
  clock.now += DAY;
  const of = { accountId: 'former', id: 'dom_former' };
  const confirmedAt = deps.now().toISOString();
  clock.now += 2 * DAY;
  const absent = { confirmedAt, absentSince: deps.now().toISOString() };
  await deps.table.transact([change(Domain, of, { set: absent })]);
  await pass(5);
  expect(await show('former')).toMatchObject({ status: 'VERIFIED', problem: expect.stringMatching(/is missing/) });
  expect(await set('next')).toMatchObject({ status: 'PENDING' });
  texts.set(CHALLENGE, [await token('next')]);
  await check('next');
  await closeTenants();
  expect(await check('next')).toMatchObject({ status: 'VERIFIED' });
  expect(await holder('other.mine.co.za')).toBe('former');
  clock.now += DAY;
  const ends = change(Domain, of, { set: { status: 'EXPIRED' } });
  await deps.table.transact([ends, remove(DomainName, { name: 'mine.co.za' })]);
  const ended = await deps.table.get(Domain, of);
  if (!ended) throw new Error('no domain');
  await endClaimsOfEnded(deps, ended);
  await closeTenants();
  expect([await holder(), await holder('other.mine.co.za')]).toEqual(['next', undefined]);
  expect(await show('next')).toMatchObject({ status: 'VERIFIED' });
});

test('unverified claims of earlier versions exclude no other account, and their verified domains are verified again', async () => {
  const { deps, set, texts, token, check, holder, pass, show } = await accounts('before', 'next');
  const customDomain = newCustomDomain(deps, HOST);
  const claimed = { customDomain, primaryDomain: HOST };
  await deps.table.transact([
    change(App, { accountId: 'before', id: 'app_before' }, { set: claimed }),
    create(Host, { host: HOST, accountId: 'before', applicationId: 'app_before' }),
  ]);
  expect(await set('next')).toMatchObject({ status: 'PENDING' });
  texts.set(CHALLENGE, [await token('next')]);
  expect(await check('next')).toMatchObject({ status: 'VERIFIED' });
  expect(await holder()).toBe('next');

  const unscheduled = { remove: ['verifiedAt', 'dueAt', 'duePk', 'listPk', 'listSk'] };
  await deps.table.transact([change(Host, { host: HOST }, unscheduled)]);
  const of = { host: HOST, applicationId: 'app_next', since: deps.now().toISOString() };
  await startVerifications(deps, of);
  await startVerifications(deps, of);
  texts.delete(CHALLENGE);
  await pass(1);
  expect((await show('next')).problem).toMatch(/is missing/);
  const { listPk, listSk } = verifiedHostsNear(HOST);
  expect(await deps.table.since(Host, listPk, listSk, 5)).toMatchObject([{ host: HOST, accountId: 'next' }]);
});
