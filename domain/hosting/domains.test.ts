import { expect, test } from 'vitest';
import { App, Host } from '../../table/entities/apps.ts';
import { Subscription } from '../../table/entities/billing.ts';
import { HostingAccount, HostingDomain } from '../../table/entities/hosting.ts';
import { Domain, DomainName } from '../../table/entities/registrar.ts';
import { change, create } from '../../table/writes.ts';
import { simulatedApp } from '../../test/simulation/app.ts';
import { simulatedDomain } from '../../test/simulation/domains.ts';
import { simulation } from '../../test/simulation/simulation.ts';
import { ConcurrentUpdateError } from '../conflict.ts';
import {
  claimHostingDomain,
  hostingChallenge,
  recheckHostingProofs,
  releaseHostingDomain,
  verifyHostingDomain,
} from './domains.ts';

const DAY = 86_400_000;
const DOMAIN = 'victim.co.za';

/** Sets up orders and reconciliations of hosting, and name servers with configurable texts. */
function hosting() {
  const { steady, clock } = simulation();
  const texts = new Map<string, string[]>();
  const deps = { ...steady.deps, txt: { at: async (name: string) => texts.get(name) ?? [] } };
  const subscription = (accountId: string, id = `sub_${accountId}`, hostingDomain = DOMAIN) => ({
    id,
    accountId,
    hostingDomain,
    plan: { slug: 'mail', name: 'Mail', category: 'EMAIL' as const },
    billingCycle: 'MONTHLY' as const,
    priceCents: 1,
    status: 'ACTIVE' as const,
    currentPeriodEnd: '',
    createdAt: '',
    cancelledAt: null,
  });
  const order = async (accountId: string, id = `sub_${accountId}`, domain = DOMAIN) => {
    try {
      await deps.table.transact([(await claimHostingDomain(deps, accountId, domain))(id)]);
      return 'accepted';
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
  const settle = (accountId: string) => verifyHostingDomain(deps, subscription(accountId));
  const prove = (...accounts: string[]) => {
    const challenges = accounts.map((accountId) => hostingChallenge(accountId, DOMAIN));
    texts.set(
      `_hosting-challenge.${DOMAIN}`,
      challenges.map(({ value }) => value),
    );
  };
  const release = (accountId: string) => releaseHostingDomain(deps, subscription(accountId));
  const holder = async (domain = DOMAIN) => (await deps.table.get(HostingDomain, { domain }))?.accountId;
  const register = async (accountId: string, name: string) => {
    await deps.table.transact([
      create(DomainName, { name, accountId, domainId: 'dom' }),
      create(Domain, simulatedDomain({ id: 'dom', accountId, name, registeredAt: '', dnsProvider: 'EXTERNAL' })),
    ]);
  };
  /** Adds an application with the custom domain. */
  const addCustomDomain = async (
    accountId: string,
    fields: Partial<Host> = {},
    status: 'VERIFIED' | 'PENDING' = 'VERIFIED',
  ) => {
    const customDomain = { host: DOMAIN, token: 't', claimedAt: '', checkedAt: null, status };
    await deps.table.transact([
      create(App, simulatedApp({ id: 'app', accountId, customDomain })),
      create(Host, { host: DOMAIN, accountId, applicationId: 'app', ...fields }),
    ]);
  };
  const addAccount = (accountId: string, id: string) =>
    deps.table.transact([
      create(HostingAccount, {
        accountId,
        id,
        server: 'web-1',
        username: id,
        status: 'ACTIVE',
        failures: 0,
        dueAt: '2999',
      }),
    ]);
  const stateOf = async (domain: string) => {
    const held = await deps.table.get(HostingDomain, { domain });
    const of = { accountId: held?.accountId ?? '', id: held?.subscriptionId ?? '' };
    return { isProven: held?.provenAt !== undefined, dueAt: (await deps.table.get(HostingAccount, of))?.dueAt };
  };
  return {
    deps,
    clock,
    order,
    settle,
    subscription,
    prove,
    release,
    holder,
    register,
    addCustomDomain,
    addAccount,
    stateOf,
  };
}

test('a domain without an owner here is hosted, and its mail is not accepted before it is proven', async () => {
  const { deps, order, settle, prove, clock } = hosting();
  const missingSince = async () => (await deps.table.get(HostingDomain, { domain: DOMAIN }))?.unprovenSince;
  expect(await order('owner')).toBe('accepted');
  expect(await settle('owner')).toBe('UNPROVEN');
  prove('owner');
  expect(await settle('owner')).toBe('PROVEN');
  prove();
  expect(await settle('owner'), 'verified every week').toBe('PROVEN');
  clock.now += 8 * DAY;
  expect(await settle('owner'), 'in the grace period').toBe('PROVEN');
  prove('owner');
  expect([await settle('owner'), await missingSince()], 'proven again').toEqual(['PROVEN', undefined]);
  prove();
  clock.now += 8 * DAY;
  expect(await settle('owner'), 'in another grace period').toBe('PROVEN');
  clock.now += 8 * DAY;
  expect(await settle('owner')).toBe('UNPROVEN');
});

test('a domain that was proven by a clock that was set back since is verified again', async () => {
  const { order, settle, prove, clock } = hosting();
  await order('owner');
  prove('owner');
  clock.now += 365 * DAY;
  expect(await settle('owner')).toBe('PROVEN');
  clock.now -= 365 * DAY;
  prove();
  await settle('owner');
  clock.now += 15 * DAY;
  expect(await settle('owner')).toBe('UNPROVEN');
});

test('hosting without proof does not keep the owner from the domain', async () => {
  const { order, settle, prove, holder } = hosting();
  expect(await order('thief')).toBe('accepted');
  const refused = await order('owner');
  const { name, value } = hostingChallenge('owner', DOMAIN);
  expect(refused).toContain(`add the TXT record ${name} with the value ${value}`);
  prove('owner');
  expect(await order('owner')).toBe('accepted');
  expect(await holder()).toBe('owner');
  expect([await settle('thief'), await settle('owner')]).toEqual(['LOST', 'PROVEN']);
  expect(await order('thief')).toMatch(/^hostingDomain: another account uses/);
  prove('owner', 'thief');
  expect(await order('thief')).toMatch(/has proven that it owns it/);
  prove('thief');
  expect(await order('thief'), 'sold, with its DNS').toBe('accepted');
});

test('an order that began before the holder proved the domain does not take it over', async () => {
  const { deps, clock, order, settle, prove, holder } = hosting();
  await order('owner');
  clock.now += 1;
  prove('owner', 'agency');
  const claimFor = await claimHostingDomain(deps, 'agency', DOMAIN);
  expect(await settle('owner')).toBe('PROVEN');
  await expect(deps.table.transact([claimFor('sub_agency')])).rejects.toThrow(ConcurrentUpdateError);
  expect(await order('agency')).toMatch(/has proven that it owns it/);
  expect(await holder()).toBe('owner');
});

test('an order that began before another account proved the domain does not give it away', async () => {
  const { deps, order, prove, holder } = hosting();
  await order('first');
  const claimFor = await claimHostingDomain(deps, 'first', DOMAIN);
  prove('owner');
  expect(await order('owner')).toBe('accepted');
  await expect(deps.table.transact([claimFor('sub_late')])).rejects.toThrow(ConcurrentUpdateError);
  expect([await holder(), (await deps.table.get(HostingDomain, { domain: DOMAIN }))?.subscriptionId]).toEqual([
    'owner',
    'sub_owner',
  ]);
});

test('hosting that an operator granted takes the domain over with its proof, and not without', async () => {
  const { order, settle, prove, holder } = hosting();
  await order('first');
  expect([await settle('granted'), await holder()]).toEqual(['UNPROVEN', 'first']);
  prove('granted');
  expect([await settle('granted'), await holder()]).toEqual(['PROVEN', 'granted']);
  expect(await settle('first')).toBe('LOST');
});

test("another account's registered domain, and names below it, need its DNS", async () => {
  const { order, register, settle, prove } = hosting();
  await register('owner', DOMAIN);
  expect(await order('thief')).toMatch(/^hostingDomain: another account uses/);
  expect(await order('thief', 'sub', `mail.${DOMAIN}`)).toMatch(/^hostingDomain: another account uses/);
  expect(await order('owner')).toBe('accepted');
  expect(await settle('owner')).toBe('PROVEN');
  expect(await settle('granted'), 'given by an operator').toBe('LOST');
  prove('agency');
  expect(await order('agency'), 'proven, but hosted by its owner').toMatch(/has proven/);
});

test("names below another account's proven domain need proof, and those below its own do not", async () => {
  const { deps, order, settle, prove, subscription } = hosting();
  const [name, deeper] = [`login.${DOMAIN}`, `a.b.${DOMAIN}`];
  expect(await order('owner')).toBe('accepted');
  expect(await order('thief', 'sub_before', `before.${DOMAIN}`), 'nothing is proven yet').toBe('accepted');
  prove('owner');
  expect(await settle('owner')).toBe('PROVEN');
  for (const below of [name, deeper]) {
    const { value } = hostingChallenge('thief', below);
    const record = `add the TXT record _hosting-challenge.${below} with the value ${value}`;
    expect(await order('thief', 'sub_thief', below)).toContain(record);
  }
  expect(await order('owner', 'sub_below', name)).toBe('accepted');
  expect(await verifyHostingDomain(deps, subscription('owner', 'sub_below', name))).toBe('UNPROVEN');
  expect(await order('thief', 'sub_neighbor', `not-${DOMAIN}`)).toBe('accepted');
});

test.each([
  ['verified', {}, 'VERIFIED', 'PROVEN'],
  ['not verified', {}, 'PENDING', 'UNPROVEN'],
  ['released', { releasing: true }, 'VERIFIED', 'UNPROVEN'],
  ['without its proof', { unprovenSince: '2026-01-01T00:00:00.000Z' }, 'VERIFIED', 'UNPROVEN'],
] as const)(
  'a custom domain that is %s proves the domain of hosting accordingly',
  async (_, host, status, expected) => {
    const { order, settle, addCustomDomain } = hosting();
    await addCustomDomain('owner', host, status);
    expect(await order('owner')).toBe('accepted');
    expect(await settle('owner')).toBe(expected);
  },
);

test("another account's custom domain, and names below it, need proof once it is verified", async () => {
  for (const [status, result] of [
    ['VERIFIED', /^hostingDomain: another account uses/],
    ['PENDING', /^accepted$/],
  ] as const) {
    const { order, addCustomDomain } = hosting();
    await addCustomDomain('owner', {}, status);
    for (const domain of [`mail.${DOMAIN}`, DOMAIN]) expect(await order('thief', 'sub_thief', domain)).toMatch(result);
    expect(await order('owner', 'sub_owner', `shop.${DOMAIN}`)).toBe('accepted');
  }
});

test('a proven domain stays with its last account for 90 days after its hosting has ended', async () => {
  const { order, settle, prove, release, holder } = hosting();
  await order('owner');
  prove('owner');
  expect(await settle('owner')).toBe('PROVEN');
  prove();
  await release('owner');
  expect(await holder()).toBeUndefined();
  for (const domain of [DOMAIN, `login.${DOMAIN}`])
    expect(await order('thief', 'sub_thief', domain)).toMatch(/^hostingDomain: another account uses/);
  expect(await order('owner'), 'the same account').toBe('accepted');
  await release('owner');
  prove('next');
  expect(await order('next'), 'sold, with its DNS').toBe('accepted');
  prove();
  expect(await order('next', 'sub_below', `shop.${DOMAIN}`), 'below its own').toBe('accepted');
});

test('names of the platform cannot be hosted without proof', async () => {
  const { deps, order } = hosting();
  deps.settings = { ...deps.settings, publicUrl: 'https://platform.co.za', appsDomain: 'apps.platform-apps.co.za' };
  for (const domain of ['platform.co.za', 'mail.platform.co.za'])
    expect(await order('thief', 'sub_thief', domain)).toMatch(/^hostingDomain: another account uses/);
  const below = /^hostingDomain: must be a domain of your own, not one under apps\.platform-apps\.co\.za$/;
  for (const domain of ['apps.platform-apps.co.za', 'shop.apps.platform-apps.co.za'])
    expect(await order('thief', 'sub_thief', domain)).toMatch(below);
  expect(await order('thief', 'sub_thief', 'not-platform.co.za')).toBe('accepted');
});

test('a domain is free when its last subscription is removed, and not before', async () => {
  const { deps, order, release, holder, subscription } = hosting();
  const [first, second] = [subscription('owner'), subscription('owner', 'sub_second')];
  const neighbor = subscription('owner', 'sub_neighbor', `not-${DOMAIN}`);
  await deps.table.transact([first, second, neighbor].map((each) => create(Subscription, each)));
  await order('owner', first.id);
  await release('stranger');
  expect(await holder()).toBe('owner');
  await release('owner');
  expect(await deps.table.get(HostingDomain, { domain: DOMAIN })).toMatchObject({ subscriptionId: second.id });
  const panel = { status: 'REMOVED', mailboxes: 0 };
  await deps.table.transact([first, second].map((each) => change(Subscription, each, { set: { panel } })));
  await release('owner');
  expect(await holder()).toBeUndefined();
  expect(await order('next')).toBe('accepted');
});

test('of racing orders of two accounts for one domain one is accepted', async () => {
  const { order, holder } = hosting();
  const results = await Promise.all(['a', 'b', 'c'].map((accountId) => order(accountId)));
  expect(results.filter((result) => result === 'accepted')).toHaveLength(1);
  expect(await holder()).toBe(['a', 'b', 'c'][results.indexOf('accepted')]);
});

test('names that cannot be owned need no proof', async () => {
  const { order, holder } = hosting();
  expect(await order('a', 'sub', 'shop.example.com')).toBe('accepted');
  expect(await holder('shop.example.com')).toBe('a');
});

test.each(['whose registration ends', 'for which more hosting is bought'])(
  'the verification of a domain %s meanwhile begins again',
  async (what) => {
    const { deps, clock, order, settle, subscription, register, stateOf } = hosting();
    await register('owner', DOMAIN);
    await order('owner');
    expect(await settle('owner')).toBe('PROVEN');
    clock.now += 8 * DAY;
    const end = async () => {
      await deps.table.transact([change(Domain, { accountId: 'owner', id: 'dom' }, { set: { status: 'EXPIRED' } })]);
      await recheckHostingProofs(deps, DOMAIN);
    };
    let meanwhile: (() => Promise<unknown>) | undefined =
      what === 'whose registration ends' ? end : () => order('owner', 'sub_newest');
    const transact: typeof deps.table.transact = async (writes) => {
      const happen = meanwhile;
      meanwhile = undefined;
      await happen?.();
      await deps.table.transact(writes);
    };
    await verifyHostingDomain({ ...deps, table: { ...deps.table, transact } }, subscription('owner'));
    const { subscriptionId } = (await deps.table.get(HostingDomain, { domain: DOMAIN })) ?? {};
    expect([(await stateOf(DOMAIN)).isProven, subscriptionId]).toEqual(
      what === 'whose registration ends' ? [false, 'sub_owner'] : [true, 'sub_newest'],
    );
  },
);

test('the end of a registration removes the proofs of the domain and of names below it, and keeps those of neighboring names', async () => {
  const { deps, clock, order, register, subscription, addAccount, stateOf } = hosting();
  await register('owner', DOMAIN);
  const below = [
    DOMAIN,
    `mail.${DOMAIN}`,
    `a.b.${DOMAIN}`,
    ...Array.from({ length: 60 }, (_, at) => `n${at}.${DOMAIN}`),
  ];
  const beside = ['not-victim.co.za', 'victims.co.za'];
  for (const domain of [...below, ...beside]) {
    expect(await order('owner', `sub_${domain}`, domain)).toBe('accepted');
    await addAccount('owner', `sub_${domain}`);
  }
  for (const domain of below) await verifyHostingDomain(deps, subscription('owner', `sub_${domain}`, domain));
  expect(await stateOf(`mail.${DOMAIN}`)).toEqual({ isProven: true, dueAt: '2999' });
  await recheckHostingProofs(deps, DOMAIN);
  expect((await stateOf(`mail.${DOMAIN}`)).isProven, 'registered here again').toBe(true);
  await deps.table.transact([change(Domain, { accountId: 'owner', id: 'dom' }, { set: { status: 'EXPIRED' } })]);
  clock.now += DAY;
  await recheckHostingProofs(deps, DOMAIN);
  const now = new Date(clock.now).toISOString();
  for (const domain of below)
    expect([domain, await stateOf(domain)]).toEqual([domain, { isProven: false, dueAt: now }]);
  for (const domain of beside) expect((await stateOf(domain)).dueAt).toBe('2999');
});
