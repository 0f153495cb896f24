import { expect, test } from 'vitest';
import type { Deps } from '../../domain/deps.ts';
import { memoryTable } from '../../test/support/memory-table.ts';
import { idempotentRequest } from './idempotency.ts';

const HOUR = 3600_000;

test('a key belongs to one request in one account for 24 hours, and is free again before the table deletes its record', async () => {
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
  const commit = (body: string) => request(body).withIdempotency(deps, 'acc_1').commit([], body);
  await commit('first');
  clock.now += 24 * HOUR - 1000;
  expect(await request('first').lookup('acc_1')).toBe('first');
  await expect(request('first').lookup('acc_2')).rejects.toMatchObject({ code: 'conflict' });
  await expect(request('second').lookup('acc_1')).rejects.toMatchObject({ code: 'conflict' });
  await expect(commit('second')).rejects.toMatchObject({ code: 'conflict' });
  clock.now += 1000;
  expect(await request('second').lookup('acc_1')).toBeUndefined();
  await commit('second');
  expect(await request('second').lookup('acc_1')).toBe('second');
  await expect(commit('third')).rejects.toMatchObject({ code: 'conflict' });
});
