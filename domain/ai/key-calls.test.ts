import { expect, test } from 'vitest';
import { LIMITS } from '../../contract/limits/limits.ts';
import { simulation } from '../../test/simulation/simulation.ts';
import { leaveKeyPlace, takeKeyPlace } from './key-calls.ts';

const of = { accountId: 'acc_1', keyId: 'key_1' };
const MINUTE_MS = 60_000;

test('refuses the call beyond the limit of a key with 429, and places of calls that died become free', async () => {
  const { steady, clock } = simulation();
  const { deps } = steady;
  const take = () => takeKeyPlace(deps, of, 5);
  const limit = LIMITS.concurrentAiCallsPerKey.amounts;
  const [first] = await Promise.all(Array.from({ length: limit }, take));
  await expect(take()).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 5 });
  await expect(takeKeyPlace(deps, { ...of, keyId: 'key_2' }, 5)).resolves.toBeDefined();

  if (first) await leaveKeyPlace(deps, first);
  await take();
  await expect(take()).rejects.toMatchObject({ code: 'rate_limited' });

  // As long as a call may be running, its place is taken; then all of them are free at once.
  clock.now += 15 * MINUTE_MS;
  await expect(take()).rejects.toMatchObject({ code: 'rate_limited' });
  clock.now += 6 * MINUTE_MS;
  const late = await take();
  for (let count = 1; count < limit; count += 1) await take();
  await expect(take()).rejects.toMatchObject({ code: 'rate_limited' });
  await leaveKeyPlace(deps, late);
  // What a call that was declared dead gives back takes no place from the count.
  if (first) await leaveKeyPlace(deps, first);
  await take();
  await expect(take()).rejects.toMatchObject({ code: 'rate_limited' });
});
