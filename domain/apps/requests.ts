import type { getAppRequests as Route } from '../../contract/apps/metrics.ts';
import type { Input, Output } from '../../contract/route.ts';
import { type LoggedRequest, MAX_REQUEST_LINES } from '../../providers/app-host/requests.ts';
import { readThrough } from '../cache/cache.ts';
import type { Caller, Deps } from '../deps.ts';
import { percentile } from '../percentile.ts';
import { findApp } from './apps.ts';
import type { InCell } from './cells.ts';
import { periodsUntil, refuseThrottled } from './metrics.ts';

/** Time in milliseconds for which viewers of an application share a read, which is a query over its log. */
const SHARED_MS = 30_000;
const MAX_CACHED = 50;
/** Paths that are shown, those with the most requests. */
export const MAX_PATHS = 100;
/** Requests that are shown one by one: the newest. */
const MAX_RECENT = 200;

const sharedRequests = readThrough<LoggedRequest[]>({ max: MAX_CACHED, ttlMs: SHARED_MS });

/** Numbers, UUIDs, and long words with digits in them. */
const IDENTIFIER = /^(?:\d+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=.*\d)[\w-]{16,})$/i;

/** Returns the path with `:id` in place of identifiers, so that requests to one page count together. Files keep their names. */
export const pathPattern = (path: string): string =>
  path
    .split('/')
    .map((part) => (IDENTIFIER.test(part) ? ':id' : part))
    .join('/');

type Data = Output<typeof Route>['data'];

const figuresOf = (requests: readonly LoggedRequest[]): Data['totals'] => ({
  requests: requests.length,
  clientErrors: requests.filter(({ status }) => status >= 400 && status < 500).length,
  serverErrors: requests.filter(({ status }) => status >= 500).length,
  bytes: requests.reduce((sum, { bytes }) => sum + bytes, 0),
});

/** Counts requests by method and path, those with the most requests first. */
export function countPaths(requests: readonly LoggedRequest[]): Data['paths'] {
  const groups = Map.groupBy(requests, ({ method, path }) => `${method} ${pathPattern(path)}`);
  return [...groups]
    .map(([key, found]) => {
      const durations = found.map(({ ms }) => ms).sort((a, b) => a - b);
      const space = key.indexOf(' ');
      return {
        method: key.slice(0, space),
        path: key.slice(space + 1),
        ...figuresOf(found),
        p50Ms: percentile(durations, 0.5) ?? 0,
        p95Ms: percentile(durations, 0.95) ?? 0,
        maxMs: durations.at(-1) ?? 0,
      };
    })
    .sort((a, b) => b.requests - a.requests);
}

/** GET /dashboard/v1/apps/{id}/requests */
export async function readRequests(
  deps: Deps & InCell<'appRequests'>,
  caller: Caller,
  { id, range }: Input<typeof Route>,
): Promise<Output<typeof Route>> {
  const { appRequests } = await deps.cellOf(await findApp(deps, caller, id));
  const { from, to } = periodsUntil(deps.now(), range);
  const key = `${id} ${range} ${to.getTime()}`;
  const requests = await sharedRequests(key, () => appRequests.read(id, { from, to })).catch(refuseThrottled);
  const paths = countPaths(requests);
  const isCut = requests.length >= MAX_REQUEST_LINES || paths.length > MAX_PATHS;
  return {
    data: {
      range,
      from: from.toISOString(),
      to: to.toISOString(),
      isComplete: !isCut && requests.every(({ skipped }) => skipped === 0),
      totals: figuresOf(requests),
      paths: paths.slice(0, MAX_PATHS),
      recent: requests.slice(0, MAX_RECENT).map(({ at, id: requestId, method, path, status, ms, bytes }) => ({
        at: at.toISOString(),
        id: requestId,
        method,
        path,
        status,
        ms,
        bytes,
      })),
    },
  };
}
