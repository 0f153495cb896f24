import { expect, test } from 'vitest';
import { HostingAccount } from '../../table/entities/hosting.ts';
import { hostingSimulation } from '../../test/simulation/hosting.ts';
import type { Deps } from '../deps.ts';
import { reconcileHostingAccount } from './accounts.ts';
import { moveHosting } from './move.ts';

test('of two concurrent moves the later one records the server of the earlier one as the former', async () => {
  const { deps, set, subscribe } = await hostingSimulation();
  for (const name of ['web-1', 'web-2', 'web-3']) await set(name, name === 'web-1');
  const of = await subscribe({ hostingDomain: 'shop.co.za' });
  await reconcileHostingAccount(deps, of);
  const moves: unknown[] = [];
  const commit: Deps['commit'] = async (writes, output, change) => {
    const result = await deps.commit(writes, output, change);
    moves.push([change?.before, change?.after].map((side) => Object(side).server));
    return result;
  };
  let isPreceded = false;
  const get: Deps['table']['get'] = async (entity, key) => {
    const read = await deps.table.get(entity, key);
    if (Object.is(entity, HostingAccount) && !isPreceded) {
      isPreceded = true;
      await moveHosting({ ...deps, commit }, { ...of, server: 'web-2' });
    }
    return read;
  };
  await moveHosting({ ...deps, commit, table: { ...deps.table, get } }, { ...of, server: 'web-3' });
  expect(moves).toEqual([
    ['web-1', 'web-2'],
    ['web-2', 'web-3'],
  ]);
  expect((await deps.table.get(HostingAccount, of))?.server).toBe('web-3');
});
