import { afterEach, expect, test, vi } from 'vitest';
import { RESERVED_SLUGS } from '../../contract/apps/reserved-slugs.ts';
import { toSlug, withSuffix } from '../../contract/apps/slug.ts';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { App, Host } from '../../table/entities/apps.ts';
import { Cell } from '../../table/entities/cells.ts';
import { change, create, remove } from '../../table/writes.ts';
import { newSimulatedAccount } from '../../test/simulation/account.ts';
import { simulation } from '../../test/simulation/simulation.ts';
import { CELL_RESOURCES, inEveryCell } from '../../test/support/cells.ts';
import { deleteApp } from '../apps/apps.ts';
import { listCells } from '../apps/cells.ts';
import { newCustomDomain } from '../custom-domains/claim.ts';
import { newTenant } from '../custom-domains/reconciliation.ts';
import { createApp } from './create-app.ts';
import { teardownApp } from './teardown.ts';

afterEach(() => void vi.useRealTimers());

test.each([
  ['My Shop', 'my-shop'],
  ['  --Hello,   World!--', 'hello-world'],
  ['Café Zürich', 'cafe-zurich'],
  ['日本', 'app'],
  ['!!', 'app'],
  ['a'.repeat(60), 'a'.repeat(60)],
  // A ligature of three letters.
  [`${'a'.repeat(40)} ${'ﬃ'.repeat(8)}`, `${'a'.repeat(40)}-${'ffi'.repeat(8).slice(0, 22)}`],
])('the slug of %j is %j', (name, slug) => {
  expect(toSlug(name)).toBe(slug);
});

test('a suffix shortens a slug that would be too long for a label of a DNS name', () => {
  expect(withSuffix('shop', '')).toBe('shop');
  expect(withSuffix('shop', '-0123456789')).toBe('shop-0123456789');
  expect(withSuffix('a'.repeat(60), '-0123456789')).toBe(`${'a'.repeat(52)}-0123456789`);
  expect(withSuffix(`${'a'.repeat(51)}-bcd`, '-0123456789')).toBe(`${'a'.repeat(51)}-0123456789`);
});

test('reserved slugs are written as slugs are, and cover the names that visitors trust', () => {
  expect([...RESERVED_SLUGS].filter((slug) => toSlug(slug) !== slug)).toEqual([]);
  for (const name of ['WWW', 'API', 'login', ' Admin ', 'Billing', 'Mail', 'autodiscover', 'wpad']) {
    expect(RESERVED_SLUGS.has(toSlug(name)), name).toBe(true);
  }
});

test('an application is created in the cell with the most room, and its slug is taken in every cell until it is gone', async () => {
  const { deps } = simulation().steady;
  const sealed = { wrappedKey: '', iv: '', ciphertext: '' };
  const secrets = { seal: async () => sealed, unseal: async () => '' };
  await deps.table.transact([newSimulatedAccount('acc_1')]);
  const caller = { accountId: 'acc_1', keyId: '' };
  const newApp = async () =>
    (
      await createApp({ ...deps, secrets, cells: () => listCells(deps) }, caller, {
        name: 'Shop',
        framework: 'NODE',
        installCommand: 'npm ci',
      } as never)
    ).data;
  const stored = (id: string) => deps.table.get(App, { accountId: 'acc_1', id });

  await deps.table.transact([create(Cell, { id: 'b', open: true, room: 5, resources: CELL_RESOURCES })]);
  const elsewhere = await newApp();
  expect(elsewhere.primaryDomain).toBe('shop.b.example');
  expect(await stored(elsewhere.id)).toMatchObject({ cellId: 'b', slugHost: 'shop.apps.example.com' });

  await deps.table.transact([change(Cell, { id: 'b' }, { set: { open: false } })]);
  const atHome = await newApp();
  expect(atHome.slug).toMatch(/^shop-[0-9a-f]{10}$/);
  expect(await stored(atHome.id)).not.toHaveProperty('cellId');

  await deleteApp(deps, caller, { id: elsewhere.id });
  const nothing = async () => undefined;
  const removed: string[] = [];
  const providers = {
    ...inEveryCell({
      hostRoutes: { remove: async (hosts: readonly string[]) => void removed.push(...hosts) },
      appHost: { remove: nothing },
      appLogs: { remove: nothing },
    }),
    builds: { remove: nothing, removeCaches: nothing },
    databases: { remove: nothing },
  };
  const given = { ...deps, ...providers } as unknown as Parameters<typeof teardownApp>[0];
  await teardownApp(given, { accountId: 'acc_1', applicationId: elsewhere.id });
  expect(removed).toEqual(['shop.b.example']);
  expect((await newApp()).slug).toBe('shop');
});

/** Creates an application whose address, or custom domain, another one is releasing, while each call of the table takes 300 ms. */
async function createWhileReleased(
  prepare: (world: ReturnType<typeof simulation>, host: string) => Promise<unknown>,
  named: 'address' | 'customDomain' = 'customDomain',
) {
  const world = simulation();
  const { deps } = world.steady;
  const customDomain = named === 'customDomain' ? 'www.example.com' : undefined;
  const host = customDomain ?? `shop.${deps.settings.appsDomain}`;
  await deps.table.transact([
    newSimulatedAccount('acc_1'),
    create(Host, { host, accountId: 'acc_1', applicationId: 'app_1', releasing: true }),
  ]);
  vi.useFakeTimers();
  const began = Date.now();
  await prepare(world, host);
  let transactions = 0;
  const slow = world.startProcess({
    faults: async ({ what, when }) => {
      if (when === 'before') await new Promise((done) => setTimeout(done, 300));
      if (when === 'before' && what === 'table.TransactWriteItems') transactions += 1;
      return undefined;
    },
  });
  const sealed = { wrappedKey: '', iv: '', ciphertext: '' };
  const secrets = { seal: async () => sealed, unseal: async () => '' };
  const input = {
    name: 'Shop',
    framework: 'NODE',
    installCommand: 'npm ci',
    ...(customDomain ? { customDomain } : {}),
  } as never;
  const given = { ...slow.deps, secrets, cells: async () => [] };
  const creation = createApp(given, { accountId: 'acc_1', keyId: '' }, input).then(
    ({ data }) => data.primaryDomain,
    (error) => error.code,
  );
  await vi.runAllTimersAsync();
  return { answer: await creation, seconds: (Date.now() - began) / 1000, transactions };
}

test('a custom domain that is not released in time is a conflict before the function times out, with few transactions', async () => {
  const { answer, seconds, transactions } = await createWhileReleased(async () => {});
  expect(answer).toBe('conflict');
  expect(seconds).toBeLessThan(TIMEOUTS_S.api.write / 2);
  expect(transactions).toBeLessThan(5);
});

test('a custom domain that is released after several seconds is taken over', async () => {
  const { answer } = await createWhileReleased(async ({ steady }, host) => {
    setTimeout(() => void steady.deps.table.transact([remove(Host, { host })]), 7000);
  });
  expect(answer).toBe('www.example.com');
});

test('a default address that is released after some seconds is taken over without a suffix', async () => {
  const releaseAfter =
    (ms: number): Parameters<typeof createWhileReleased>[0] =>
    async ({ steady }, host) => {
      setTimeout(() => void steady.deps.table.transact([remove(Host, { host })]), ms);
    };
  expect((await createWhileReleased(releaseAfter(4000), 'address')).answer).toBe('shop.apps.example.com');
  vi.useRealTimers();
  expect((await createWhileReleased(releaseAfter(60_000), 'address')).answer).toMatch(/^shop-[0-9a-f]{10}\.apps/);
});

test('a custom domain whose tenant is removed, which takes minutes, is a conflict after a short wait', async () => {
  const { answer, seconds } = await createWhileReleased(async ({ steady: { deps } }, host) => {
    const domain = { ...newCustomDomain(deps, host), status: 'VERIFIED' as const };
    await deps.table.transact([newTenant(deps, { accountId: 'acc_1', id: 'app_1' }, domain)]);
  });
  expect(answer).toBe('conflict');
  expect(seconds).toBeLessThan(5);
});
