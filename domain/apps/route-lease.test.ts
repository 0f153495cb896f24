import { expect, test } from 'vitest';
import { simulation } from '../../test/simulation/simulation.ts';
import { acquireLease, enqueueChange, isLeaseFree, readWriter } from './route-lease.ts';

const change = (id: string) => ({ id, at: '2026-01-01T00:00:00.000Z', kind: 'remove' as const, hosts: [id] });

test('of two callers that saw a lease expire, one acquires it, even if its previous holder acquires it again', async () => {
  const { clock, steady } = simulation();
  const { deps } = steady;
  await enqueueChange(deps, 'home', change('first'));
  clock.now += 60_000;
  const seen = await readWriter(deps, 'home');
  expect(isLeaseFree(deps, seen)).toBe(true);
  expect(await acquireLease(deps, seen, 'second')).toMatchObject({ holder: 'second' });
  expect(await acquireLease(deps, seen, 'third')).toBeUndefined();
  clock.now += 60_000;
  const again = await readWriter(deps, 'home');
  expect(await acquireLease(deps, again, 'second')).toMatchObject({ holder: 'second' });
  expect(await acquireLease(deps, again, 'third')).toBeUndefined();
  expect(await readWriter(deps, 'home')).toMatchObject({ holder: 'second' });
});
