import type { readAppLogs as ReadRoute } from '../../contract/apps/logs.ts';
import type { Input, Output } from '../../contract/route.ts';
import type { AppLogs } from '../../providers/app-host/logs.ts';
import type { Caller, Deps } from '../deps.ts';
import { findApp } from './apps.ts';

/** Age of the oldest line that is read when the caller names none, in milliseconds. */
const LOOKBACK_MS = 24 * 3600 * 1000;

/** GET /dashboard/v1/apps/{id}/logs: the lines are the owner's own, and shown as they were printed. */
export async function readAppLogs(
  deps: Deps & { appLogs: AppLogs },
  caller: Caller,
  { id, after, limit }: Input<typeof ReadRoute>,
): Promise<Output<typeof ReadRoute>> {
  await findApp(deps, caller, id);
  const since = new Date(deps.now().getTime() - LOOKBACK_MS);
  const { lines, more } = await deps.appLogs.read(id, { after, since, limit });
  return { data: lines.map((line) => ({ ...line, at: line.at.toISOString() })), has_more: more };
}
