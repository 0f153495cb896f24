import { expect, test } from 'vitest';
import { RESERVED_SLUGS } from '../../contract/apps/reserved-slugs.ts';
import { toSlug } from '../../contract/apps/slug.ts';
import { App } from '../../table/entities/apps.ts';
import { Cell } from '../../table/entities/cells.ts';
import { change, create } from '../../table/writes.ts';
import { newSimulatedAccount } from '../../test/simulation/account.ts';
import { simulation } from '../../test/simulation/simulation.ts';
import { CELL_RESOURCES, inEveryCell } from '../../test/support/cells.ts';
import { deleteApp } from '../apps/apps.ts';
import { listCells } from '../apps/cells.ts';
import { createApp } from './create-app.ts';
import { teardownApp } from './teardown.ts';

test.each([
  ['My Shop', 'my-shop'],
  ['  --Hello,   World!--', 'hello-world'],
  ['Café Zürich', 'cafe-zurich'],
  ['日本', 'app'],
  ['!!', 'app'],
  [`${'a'.repeat(49)} b c`, 'a'.repeat(49)],
])('the slug of %j is %j', (name, slug) => {
  expect(toSlug(name)).toBe(slug);
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
