import * as z from 'zod/mini';
import { TRIGGERS } from '../enums.ts';
import { describe, Id, resource, single, Timestamp } from '../envelope.ts';
import { route } from '../route.ts';

/** Spans of time that metrics are read for: the length of a period and their number. */
export const METRIC_RANGES = {
  hour: { periodS: 60, periods: 60 },
  day: { periodS: 900, periods: 96 },
  week: { periodS: 7200, periods: 84 },
  month: { periodS: 21_600, periods: 120 },
} as const;
export type MetricRange = keyof typeof METRIC_RANGES;

const ranges = Object.keys(METRIC_RANGES) as MetricRange[];
const Range = () => z.object({ range: z._default(z.enum(ranges), 'day') });
const span = () => ({ range: z.enum(ranges), from: Timestamp(), to: Timestamp(), periodSeconds: z.int() });
const Milliseconds = () => z.nullable(z.number());

/** Traffic of an application, period by period; the last period is not over yet. */
export const AppMetrics = resource('ApplicationMetrics', () =>
  z.object({
    ...span(),
    points: z.array(
      z.object({
        at: Timestamp(),
        requests: z.int(),
        clientErrors: z.int(),
        serverErrors: z.int(),
        throttled: z.int(),
        p50Ms: Milliseconds(),
        p95Ms: Milliseconds(),
        p99Ms: Milliseconds(),
        concurrency: z.int(),
      }),
    ),
    totals: z.object({
      requests: z.int(),
      clientErrors: z.int(),
      serverErrors: z.int(),
      throttled: z.int(),
      gbSeconds: z.number(),
    }),
    deployments: z.array(
      z.object({ id: z.string(), at: Timestamp(), trigger: z.enum(TRIGGERS), commitSha: z.string() }),
    ),
  }),
);

/** Cold starts and memory of an application; only periods in which it ran. */
export const AppStarts = resource('ApplicationStarts', () =>
  z.object({
    ...span(),
    memoryLimitMb: z.int(),
    points: z.array(z.object({ at: Timestamp(), starts: z.int(), slowestStartMs: Milliseconds(), memoryMb: z.int() })),
  }),
);

const Figures = () => ({
  requests: z.int(),
  clientErrors: z.int(),
  serverErrors: z.int(),
  bytes: z.number(),
});

/** The newest requests of an application: figures of each path, and the last ones themselves. */
export const AppRequests = resource('ApplicationRequests', () =>
  z.object({
    range: z.enum(ranges),
    from: Timestamp(),
    to: Timestamp(),
    isComplete: describe(z.boolean(), 'False where only the newest requests of the range were counted'),
    totals: z.object(Figures()),
    paths: z.array(
      z.object({
        ...Figures(),
        method: z.string(),
        path: describe(z.string(), 'With `:id` in place of identifiers'),
        p50Ms: z.number(),
        p95Ms: z.number(),
        maxMs: z.number(),
      }),
    ),
    recent: z.array(
      z.object({
        at: Timestamp(),
        id: describe(z.nullable(z.string()), 'The `requestId` of its log lines; null for earlier releases'),
        method: z.string(),
        path: z.string(),
        status: z.int(),
        ms: z.number(),
        bytes: z.number(),
      }),
    ),
  }),
);

const tag = 'Applications';
const access = 'login';

/**
 * Reads of an account that are queries over an application's log: CloudWatch starts five a second for all applications of a
 * cell, and bills each by the gigabyte.
 */
const MAX_QUERIES_PER_MINUTE = 20;

export const getAppMetrics = /* @__PURE__ */ route({
  id: 'getAppMetrics',
  method: 'GET',
  path: '/dashboard/v1/apps/{id}/metrics',
  right: 'member',
  access,
  summary:
    'Read requests, errors, response times, concurrency and compute time of an application, with its deployments',
  tag,
  params: Id,
  query: Range,
  response: () => single(AppMetrics()),
  uses: ['app-metrics'],
});

export const getAppStarts = /* @__PURE__ */ route({
  id: 'getAppStarts',
  method: 'GET',
  path: '/dashboard/v1/apps/{id}/starts',
  right: 'member',
  access,
  summary: 'Read the cold starts and the memory of an application',
  tag,
  params: Id,
  query: Range,
  response: () => single(AppStarts()),
  uses: ['app-starts'],
  perMinute: MAX_QUERIES_PER_MINUTE,
});

export const getAppRequests = /* @__PURE__ */ route({
  id: 'getAppRequests',
  method: 'GET',
  path: '/dashboard/v1/apps/{id}/requests',
  right: 'member',
  access,
  summary: 'Read the slowest and most failing paths of an application, its bandwidth, and its last requests',
  tag,
  params: Id,
  query: Range,
  response: () => single(AppRequests()),
  uses: ['app-requests'],
  perMinute: MAX_QUERIES_PER_MINUTE,
});
