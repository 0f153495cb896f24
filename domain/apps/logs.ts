import type { readAppLogs as ReadRoute } from '../../contract/apps/logs.ts';
import { ApiError, invalidField } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/route.ts';
import { LogsThrottled } from '../../providers/app-host/logs.ts';
import type { Caller, Deps } from '../deps.ts';
import { DAY_MS } from '../time.ts';
import { findApp } from './apps.ts';
import type { InCell } from './cells.ts';
import { positionOfLine, positionOfTime } from './log-lines.ts';
import { readLog } from './log-store.ts';

/** Age of the oldest line that is read if the request has no `from`, in milliseconds. */
const LOOKBACK_MS = DAY_MS;

/** `Retry-After` of throttled reads, in seconds. */
const RETRY_AFTER_S = 5;

/** GET /v1/apps/{id}/logs: the lines belong to the owner and are shown as printed, without redaction. */
export async function readAppLogs(
  deps: Deps & InCell<'appLogs'>,
  caller: Caller,
  { id, after, from, to, limit }: Input<typeof ReadRoute>,
): Promise<Output<typeof ReadRoute>> {
  const app = await findApp(deps, caller, id);
  const since = from === undefined ? new Date(deps.now().getTime() - LOOKBACK_MS) : new Date(from);
  const until = to === undefined ? undefined : new Date(to);
  // The line that a request continues after may be older than the default of `from`.
  const isRange = from !== undefined || after === undefined;
  if (isRange && until && until <= since) throw invalidField('to', 'must be later than `from`');
  const { appLogs } = await deps.cellOf(app);
  const position = after === undefined ? positionOfTime(since) : positionOfLine(after);
  const read = readLog({ deps, appLogs, applicationId: id }, { position, until, limit });
  const { lines, more } = await read.catch((error: unknown) => {
    if (!(error instanceof LogsThrottled)) throw error;
    throw new ApiError('rate_limited', 'Too many logs are being read at the moment. Try again in a few seconds.', {
      retryAfter: RETRY_AFTER_S,
    });
  });
  return { data: lines.map((line) => ({ ...line, at: line.at.toISOString() })), has_more: more };
}
