import { expect, test } from 'vitest';
import type { Deps } from '../../domain/deps.ts';
import { memoryTable } from '../../test/support/memory-table.ts';
import { idempotentRequest } from './idempotency.ts';

const HOUR = 3600_000;

test('a key is free again after 24 hours, although the table has not deleted its record yet', async () => {
  const clock = { now: Date.parse('2026-01-31T09:30:00.900Z') };
  const { table } = memoryTable();
  const deps = {
    table,
    now: () => new Date(clock.now),
    commit: async (writes, output) => {
      await table.transact(writes);
      return output;
    },
  } as Deps;
  const request = (body: string) => {
    const what = { operation: 'createApp', path: '/v1/apps', body, canonicalBody: body };
    return idempotentRequest(deps, 'once', 'subject', what);
  };
  const commit = (body: string) => request(body).withIdempotency(deps).commit([], body);
  await commit('first');
  clock.now += 24 * HOUR - 1000;
  expect(await request('first').lookup()).toBe('first');
  await expect(request('second').lookup()).rejects.toMatchObject({ code: 'conflict' });
  await expect(commit('second')).rejects.toMatchObject({ code: 'conflict' });
  clock.now += 1000;
  expect(await request('second').lookup()).toBeUndefined();
  await commit('second');
  expect(await request('second').lookup()).toBe('second');
  await expect(commit('third')).rejects.toMatchObject({ code: 'conflict' });
});
