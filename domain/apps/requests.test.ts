import { expect, test } from 'vitest';
import { MetricsThrottled } from '../../providers/app-host/metrics.ts';
import type { LoggedRequest } from '../../providers/app-host/requests.ts';
import { deploymentSimulation } from '../../test/simulation/deployments.ts';
import { inEveryCell } from '../../test/support/cells.ts';
import { MAX_PATHS, pathPattern, readRequests } from './requests.ts';

const request = (path: string, ms: number, status = 200): LoggedRequest => ({
  at: new Date('2026-01-31T09:30:00Z'),
  method: 'GET',
  path,
  status,
  ms,
  bytes: 1000,
  id: null,
  skipped: 0,
});

async function read(requests: LoggedRequest[] | Error, range: 'hour' | 'day' | 'week' | 'month' = 'hour') {
  const { deps, caller, ids } = await deploymentSimulation();
  const appRequests = { read: async () => (requests instanceof Error ? Promise.reject(requests) : requests) };
  const cells = inEveryCell({ appRequests });
  const answer = (who = caller) =>
    readRequests({ ...deps, ...cells }, who, { id: ids.applicationId, range }).then(({ data }) => data);
  return { answer, caller };
}

test('paths that differ by identifiers count as one, and paths that differ by names do not', () => {
  expect(pathPattern('/shops/17/orders/0198c3b0-0f3c-7b5e-9d3f-2b1c0a9d8e7f')).toBe('/shops/:id/orders/:id');
  expect(pathPattern('/u/app_01h9x2k4m6p8q0s2')).toBe('/u/:id');
  expect(pathPattern('/_next/static/chunks/main-abc123.js')).toBe('/_next/static/chunks/main-abc123.js');
  expect(pathPattern('/v2/about-our-international-company')).toBe('/v2/about-our-international-company');
  expect(pathPattern('/')).toBe('/');
});

test('requests are counted by path, with errors, percentiles and bytes', async () => {
  const slow = Array.from({ length: 100 }, (_, n) => request(`/orders/${n}`, n + 1, n < 5 ? 500 : 200));
  const { answer } = await read([request('/missing', 3, 404), ...slow]);
  const { paths, totals, isComplete, recent } = await answer();
  expect(totals).toEqual({ requests: 101, clientErrors: 1, serverErrors: 5, bytes: 101_000 });
  expect(paths).toEqual([
    {
      method: 'GET',
      path: '/orders/:id',
      requests: 100,
      clientErrors: 0,
      serverErrors: 5,
      bytes: 100_000,
      p50Ms: 50,
      p95Ms: 95,
      maxMs: 100,
    },
    {
      method: 'GET',
      path: '/missing',
      requests: 1,
      clientErrors: 1,
      serverErrors: 0,
      bytes: 1000,
      p50Ms: 3,
      p95Ms: 3,
      maxMs: 3,
    },
  ]);
  expect(isComplete).toBe(true);
  expect(recent[0]).toEqual({
    at: '2026-01-31T09:30:00.000Z',
    id: null,
    method: 'GET',
    path: '/missing',
    status: 404,
    ms: 3,
    bytes: 1000,
  });
});

test('totals without all requests are marked as incomplete', async () => {
  const left = await read([{ ...request('/', 1), skipped: 2 }], 'day');
  expect((await left.answer()).isComplete).toBe(false);
  const many = await read(
    Array.from({ length: MAX_PATHS + 1 }, (_, n) => request(`/page-${n}`, 1)),
    'week',
  );
  const { paths, isComplete } = await many.answer();
  expect([paths.length, isComplete]).toEqual([MAX_PATHS, false]);
});

test('another account’s application is not found, and throttled reads return a Retry-After', async () => {
  const { answer, caller } = await read(new MetricsThrottled('Rate exceeded'), 'month');
  await expect(answer({ ...caller, accountId: 'acc_other' })).rejects.toMatchObject({ code: 'not_found' });
  await expect(answer()).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 5 });
});
