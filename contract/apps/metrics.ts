import * as z from 'zod/mini';
import { TRIGGERS } from '../enums.ts';
import { describe, Id, resource, single, Timestamp } from '../envelope.ts';
import { route } from '../route.ts';

/** Time ranges of metrics, each with the length and number of its periods. */
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

/** The traffic of an application by period. The last period is still running. */
const AppMetrics = resource('ApplicationMetrics', () =>
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

/** Cold starts and memory of an application, for the periods in which it ran. */
const AppStarts = resource('ApplicationStarts', () =>
  z.object({
    ...span(),
    memoryLimitMb: z.int(),
    points: z.array(z.object({ at: Timestamp(), starts: z.int(), slowestStartMs: Milliseconds(), memoryMb: z.int() })),
  }),
);

const RequestTotals = () => ({
  requests: z.int(),
  clientErrors: z.int(),
  serverErrors: z.int(),
  bytes: z.number(),
});

/** The newest requests of an application: totals, totals by path, and the latest requests. */
const AppRequests = resource('ApplicationRequests', () =>
  z.object({
    range: z.enum(ranges),
    from: Timestamp(),
    to: Timestamp(),
    isComplete: describe(z.boolean(), 'False if only the newest requests of the range were counted'),
    totals: z.object(RequestTotals()),
    paths: z.array(
      z.object({
        ...RequestTotals(),
        method: z.string(),
        path: describe(z.string(), 'The path, with `:id` in place of identifiers'),
        p50Ms: z.number(),
        p95Ms: z.number(),
        maxMs: z.number(),
      }),
    ),
    recent: z.array(
      z.object({
        at: Timestamp(),
        id: describe(
          z.nullable(z.string()),
          'The `requestId` of the request’s log lines; null for releases that do not log it',
        ),
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
 * The log queries that an account may start per minute. CloudWatch starts five queries a second for all applications of a cell,
 * and bills each by the gigabyte.
 */
const MAX_QUERIES_PER_MINUTE = 20;

export const getAppMetrics = /* @__PURE__ */ route({
  id: 'getAppMetrics',
  method: 'GET',
  path: '/dashboard/v1/apps/{id}/metrics',
  right: 'member',
  access,
  summary:
    'Read the requests, errors, response times, concurrency and compute time of an application, with its deployments',
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
  summary: 'Read the cold starts and memory usage of an application',
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
  summary: 'Read the slowest and most failing paths of an application, its bandwidth and its latest requests',
  tag,
  params: Id,
  query: Range,
  response: () => single(AppRequests()),
  uses: ['app-requests'],
  perMinute: MAX_QUERIES_PER_MINUTE,
});
