import { expect, test } from 'vitest';
import { type MetricPoint, MetricsThrottled, type Periods } from '../../providers/app-host/metrics.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import { create } from '../../table/writes.ts';
import { deploymentSimulation } from '../../test/simulation/deployments.ts';
import { inEveryCell } from '../../test/support/cells.ts';
import { periodsUntil, readMetrics, readStarts } from './metrics.ts';

test('a range ends with the current period and has whole periods only', () => {
  const now = new Date('2026-01-31T09:30:30Z');
  expect(periodsUntil(now, 'hour')).toMatchObject({
    from: new Date('2026-01-31T08:31:00Z'),
    to: new Date('2026-01-31T09:31:00Z'),
  });
  expect(periodsUntil(now, 'month').to).toEqual(new Date('2026-01-31T12:00:00Z'));
});

test('counts are summed, compute time is in gigabyte-seconds, and releases within the range are marked', async () => {
  const { deps, caller, ids } = await deploymentSimulation();
  const now = deps.now();
  const deployed = (id: string, minutesAgo: number, status: 'SUCCEEDED' | 'FAILED') =>
    create(Deployment, {
      id,
      ...ids,
      status,
      trigger: 'PUSH',
      commitSha: 'abc',
      startedAt: '',
      notes: [],
      finishedAt: new Date(now.getTime() - minutesAgo * 60_000).toISOString(),
    });
  await deps.table.transact([
    deployed('dep_1', 90, 'SUCCEEDED'),
    deployed('dep_2', 20, 'FAILED'),
    deployed('dep_3', 10, 'SUCCEEDED'),
  ]);
  const point = { requests: 3, clientErrors: 1, serverErrors: 2, throttled: 1, concurrency: 4, durationMs: 1500 };
  let reads = 0;
  const read = async (_: string, { from, periods, periodS }: Periods): Promise<MetricPoint[]> => {
    reads += 1;
    return Array.from({ length: periods }, (_, index) => ({
      at: new Date(from.getTime() + index * periodS * 1000),
      ...(index < 2 ? point : { ...point, requests: 0, clientErrors: 0, serverErrors: 0, throttled: 0, durationMs: 0 }),
      p50: index < 2 ? 12.345 : undefined,
      p95: undefined,
      p99: undefined,
    }));
  };
  const input = { id: ids.applicationId, range: 'hour' as const };
  const [{ data }] = await Promise.all([
    readMetrics({ ...deps, ...inEveryCell({ appMetrics: { read } }) }, caller, input),
    readMetrics({ ...deps, ...inEveryCell({ appMetrics: { read } }) }, caller, input),
  ]);
  expect(reads, 'viewers share a read').toBe(1);
  expect(data.points).toHaveLength(60);
  expect(data.points[0]).toMatchObject({ at: data.from, requests: 3, p50Ms: 12.3, p95Ms: null });
  expect(data.totals).toEqual({ requests: 6, clientErrors: 2, serverErrors: 4, throttled: 2, gbSeconds: 3 });
  expect(data.deployments.map(({ id }) => id)).toEqual(['dep_3']);
});

test('another account’s application is not found, and CloudWatch is not called', async () => {
  const { deps, ids } = await deploymentSimulation();
  const other = { accountId: 'acc_2', keyId: 'key' };
  const never = { read: () => expect.fail('asked CloudWatch') };
  const input = { id: ids.applicationId, range: 'week' as const };
  const missing = { code: 'not_found' };
  await expect(readMetrics({ ...deps, ...inEveryCell({ appMetrics: never }) }, other, input)).rejects.toMatchObject(
    missing,
  );
  await expect(readStarts({ ...deps, ...inEveryCell({ appStarts: never }) }, other, input)).rejects.toMatchObject(
    missing,
  );
});

test('returns 429 with Retry-After when CloudWatch throttles', async () => {
  const { deps, caller, ids } = await deploymentSimulation();
  const busy = { read: () => Promise.reject(new MetricsThrottled('Rate exceeded')) };
  const input = { id: ids.applicationId, range: 'month' as const };
  const refused = { code: 'rate_limited', retryAfter: 5 };
  await expect(readMetrics({ ...deps, ...inEveryCell({ appMetrics: busy }) }, caller, input)).rejects.toMatchObject(
    refused,
  );
  await expect(readStarts({ ...deps, ...inEveryCell({ appStarts: busy }) }, caller, input)).rejects.toMatchObject(
    refused,
  );
});
