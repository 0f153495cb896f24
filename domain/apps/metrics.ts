import {
  METRIC_RANGES,
  type MetricRange,
  type getAppMetrics as MetricsRoute,
  type getAppStarts as StartsRoute,
} from '../../contract/apps/metrics.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/route.ts';
import { type MetricPoint, MetricsThrottled, type Periods } from '../../providers/app-host/metrics.ts';
import { MEMORY_MB } from '../../providers/app-host/resources.ts';
import type { StartPoint } from '../../providers/app-host/starts.ts';
import { Deployment, deploymentsOf } from '../../table/entities/deployments.ts';
import { readThrough } from '../cache/cache.ts';
import type { Caller, Deps } from '../deps.ts';
import { findApp } from './apps.ts';
import type { InCell } from './cells.ts';

/** Time in milliseconds for which viewers of an application share a read: metrics arrive a minute late anyway. */
const SHARED_MS = 30_000;
/** Time in milliseconds for which viewers share a read of starts, which is a query over the whole log. */
const STARTS_SHARED_MS = 120_000;
const MAX_CACHED = 200;
/** `Retry-After` of throttled reads, in seconds. */
const RETRY_AFTER_S = 5;
/** Maximum number of deployments marked on the time axis. */
const MAX_DEPLOYMENTS = 50;

const sharedMetrics = readThrough<MetricPoint[]>({ max: MAX_CACHED, ttlMs: SHARED_MS });
const sharedStarts = readThrough<StartPoint[]>({ max: MAX_CACHED, ttlMs: STARTS_SHARED_MS });

/** Returns the periods of a range, up to and including the current one. */
export function periodsUntil(now: Date, range: MetricRange): Periods & { to: Date } {
  const { periodS, periods } = METRIC_RANGES[range];
  const periodMs = periodS * 1000;
  const to = new Date((Math.floor(now.getTime() / periodMs) + 1) * periodMs);
  return { from: new Date(to.getTime() - periods * periodMs), to, periodS, periods };
}

const viewSpan = (range: MetricRange, { from, to, periodS }: ReturnType<typeof periodsUntil>) => ({
  range,
  from: from.toISOString(),
  to: to.toISOString(),
  periodSeconds: periodS,
});

/** Converts CloudWatch's throttling to 429 with `Retry-After`. Throws any other error as it is. */
export function refuseThrottled(error: unknown): never {
  if (!(error instanceof MetricsThrottled)) throw error;
  throw new ApiError('rate_limited', 'Too many metrics are being read at the moment. Try again in a few seconds.', {
    retryAfter: RETRY_AFTER_S,
  });
}

const rounded = (value: number | undefined): number | null =>
  value === undefined ? null : Math.round(value * 10) / 10;
const total = (points: readonly MetricPoint[], toNumber: (point: MetricPoint) => number): number =>
  points.reduce((sum, point) => sum + toNumber(point), 0);

/** GET /dashboard/v1/apps/{id}/metrics */
export async function readMetrics(
  deps: Deps & InCell<'appMetrics'>,
  caller: Caller,
  { id, range }: Input<typeof MetricsRoute>,
): Promise<Output<typeof MetricsRoute>> {
  const span = periodsUntil(deps.now(), range);
  const [app, { items }] = await Promise.all([
    findApp(deps, caller, id),
    deps.table.list(Deployment, deploymentsOf(id), { limit: MAX_DEPLOYMENTS, offset: 0 }),
  ]);
  const key = `${id} ${range} ${span.to.getTime()}`;
  const { appMetrics } = await deps.cellOf(app);
  const points = await sharedMetrics(key, () => appMetrics.read(id, span)).catch(refuseThrottled);
  const from = span.from.toISOString();
  const deployments = items.flatMap(({ id: deployment, status, finishedAt, trigger, commitSha }) =>
    status === 'SUCCEEDED' && finishedAt && finishedAt >= from
      ? [{ id: deployment, at: finishedAt, trigger, commitSha }]
      : [],
  );
  const gbSeconds = (total(points, ({ durationMs }) => durationMs) / 1000) * (MEMORY_MB / 1024);
  return {
    data: {
      ...viewSpan(range, span),
      points: points.map(({ at, requests, clientErrors, serverErrors, throttled, concurrency, p50, p95, p99 }) => ({
        at: at.toISOString(),
        requests,
        clientErrors,
        serverErrors,
        throttled,
        concurrency,
        p50Ms: rounded(p50),
        p95Ms: rounded(p95),
        p99Ms: rounded(p99),
      })),
      totals: {
        requests: total(points, ({ requests }) => requests),
        clientErrors: total(points, ({ clientErrors }) => clientErrors),
        serverErrors: total(points, ({ serverErrors }) => serverErrors),
        throttled: total(points, ({ throttled }) => throttled),
        gbSeconds: Math.round(gbSeconds * 1000) / 1000,
      },
      deployments,
    },
  };
}

/** GET /dashboard/v1/apps/{id}/starts */
export async function readStarts(
  deps: Deps & InCell<'appStarts'>,
  caller: Caller,
  { id, range }: Input<typeof StartsRoute>,
): Promise<Output<typeof StartsRoute>> {
  const { appStarts } = await deps.cellOf(await findApp(deps, caller, id));
  const span = periodsUntil(deps.now(), range);
  const key = `${id} ${range} ${span.to.getTime()}`;
  const points = await sharedStarts(key, () => appStarts.read(id, span)).catch(refuseThrottled);
  return {
    data: {
      ...viewSpan(range, span),
      memoryLimitMb: MEMORY_MB,
      points: points.map(({ at, starts, slowestMs, memoryMb }) => ({
        at: at.toISOString(),
        starts,
        slowestStartMs: rounded(slowestMs),
        memoryMb,
      })),
    },
  };
}
