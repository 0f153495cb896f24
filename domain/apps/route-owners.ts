import type { RouteChange } from '../../providers/edge/route-changes.ts';
import { Host } from '../../table/entities/apps.ts';
import type { Deps } from '../deps.ts';
import type { PendingChange } from './route-lease.ts';

/**
 * A change of routes is requested for an application and written later. By then, its host names may be free or belong to another
 * application. The claims of the host names decide (docs/decisions/0081-one-route-writer.md).
 */

/** True if a change still applies to a host name. @param claim the current claim of the host name */
function applies({ kind, applicationId }: PendingChange, claim: Host | undefined): boolean {
  // An older version of the platform requested the change, and checks the claims itself.
  if (applicationId === undefined) return true;
  const isOwn = claim?.applicationId === applicationId;
  if (kind === 'remove') return !claim || (isOwn && claim.releasing === true);
  return isOwn && !claim.releasing;
}

/**
 * Returns the changes without the host names to which they no longer apply: an application's routes are written as long as it claims the
 * host name, and are removed once it releases the host name. Call it after the changes were read from the queue: then the removal of a
 * route that still applies is queued behind it.
 */
export async function currentChanges(
  { table }: Pick<Deps, 'table'>,
  changes: readonly PendingChange[],
): Promise<RouteChange[]> {
  const hosts = [...new Set(changes.flatMap((change) => change.hosts))];
  const claims = new Map(
    await Promise.all(hosts.map(async (host) => [host, await table.get(Host, { host })] as const)),
  );
  return changes.map((change) => ({
    ...change,
    hosts: change.hosts.filter((host) => applies(change, claims.get(host))),
  }));
}
