import type { getAppRequests as Route } from '../../contract/apps/metrics.ts';
import type { Input, Output } from '../../contract/route.ts';
import { type LoggedRequest, MAX_REQUEST_LINES } from '../../providers/app-host/requests.ts';
import { readThrough } from '../cache/cache.ts';
import type { Caller, Deps } from '../deps.ts';
import { percentile } from '../percentile.ts';
import { findApp } from './apps.ts';
import type { InCell } from './cells.ts';
import { periodsUntil, refuseThrottled } from './metrics.ts';

/** Time in milliseconds for which viewers of an application share a read, which is a query over its whole log. */
const SHARED_MS = 30_000;
const MAX_CACHED = 50;
/** Maximum number of paths shown: those with the most requests. */
export const MAX_PATHS = 100;
/** Maximum number of individual requests shown: the newest. */
const MAX_RECENT = 200;

const sharedRequests = readThrough<LoggedRequest[]>({ max: MAX_CACHED, ttlMs: SHARED_MS });

/** Matches numbers, UUIDs, and words of at least 16 characters that contain a digit. */
const IDENTIFIER = /^(?:\d+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=.*\d)[\w-]{16,})$/i;

/** Replaces the identifiers in a path by `:id`, so that requests to one page are counted together. File names stay. */
export const pathPattern = (path: string): string =>
  path
    .split('/')
    .map((part) => (IDENTIFIER.test(part) ? ':id' : part))
    .join('/');

type Data = Output<typeof Route>['data'];

const totalsOf = (requests: readonly LoggedRequest[]): Data['totals'] => ({
  requests: requests.length,
  clientErrors: requests.filter(({ status }) => status >= 400 && status < 500).length,
  serverErrors: requests.filter(({ status }) => status >= 500).length,
  bytes: requests.reduce((sum, { bytes }) => sum + bytes, 0),
});

/** Returns totals and durations by method and path, the busiest path first. */
function countPaths(requests: readonly LoggedRequest[]): Data['paths'] {
  const groups = Map.groupBy(requests, ({ method, path }) => `${method} ${pathPattern(path)}`);
  return [...groups]
    .map(([key, found]) => {
      const durations = found.map(({ ms }) => ms).sort((a, b) => a - b);
      const space = key.indexOf(' ');
      return {
        method: key.slice(0, space),
        path: key.slice(space + 1),
        ...totalsOf(found),
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
      totals: totalsOf(requests),
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
