import type { Delegations } from '../../providers/dns/delegations.ts';
import type { Dns } from '../../providers/dns/dns.ts';
import { Zone } from '../../table/entities/dns.ts';
import { Domain, DomainName } from '../../table/entities/registrar.ts';
import { schedule } from '../../table/schedule.ts';
import { remove } from '../../table/writes.ts';
import { concurrentUpdate, tryChange, tryTransact } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import type { DomainIds } from '../registrar/tasks.ts';
import { DAY_MS, timestampAfter } from '../time.ts';
import { LEASE_ATTRIBUTES, withLease } from './lease.ts';
import { diffRecordSets, syncZone, type ZoneSyncResult } from './sync.ts';

/**
 * The deletion of released hosted zones. A domain that was transferred away may still be served from its zone. And once a zone is deleted
 * while the registry still names its name servers, any other account of Route 53 may try to take it over. So a released zone is deleted only
 * after the registry has not delegated to it for weeks (docs/decisions/0019-domain-registration-and-dns.md).
 */

/** Time for which no check may find a delegation to a zone before the zone is deleted, in milliseconds. */
const UNDELEGATED_MS = 28 * DAY_MS;
/** Time until the next check, in milliseconds; the shorter one after a check without a result. */
const CHECK_INTERVAL_MS = 7 * DAY_MS;
const RECHECK_INTERVAL_MS = DAY_MS;

/**
 * State of a released zone after a check. `DELEGATED`: the registry names its name servers. `UNDELEGATED`: it does not, but not for long
 * enough. `UNKNOWN`: no server answers for the name. `WAITING`: a domain with the same name is being ordered. `REUSED`: the zone belongs to
 * the name's next domain. `FOREIGN`: it has records that the platform did not write. `GONE`: it no longer exists. `DELETED`: this check
 * deleted it.
 */
export type ZoneFate = 'DELEGATED' | 'UNDELEGATED' | 'UNKNOWN' | 'WAITING' | 'REUSED' | 'FOREIGN' | 'GONE' | 'DELETED';

/** Result of a check of a released zone, or of a sync. */
export interface ZoneResult extends Omit<ZoneSyncResult, 'changed'> {
  changed?: number;
  fate?: ZoneFate;
  /** The error of a lookup that gave no answer. */
  unknown?: unknown;
}

type ReleaseDeps = Pick<Deps, 'table' | 'now'> & { dns: Dns; delegations: Delegations };

/** Handles a message about a zone: syncs it, or checks whether a released zone is still needed. */
export async function handleZoneMessage(deps: ReleaseDeps, ids: DomainIds): Promise<ZoneResult> {
  const zone = await deps.table.get(Zone, ids);
  return zone?.releasedAt ? await checkReleased(deps, ids) : await syncZone(deps, ids);
}

async function checkReleased(deps: ReleaseDeps, ids: DomainIds): Promise<ZoneResult> {
  const checked = await withLease<ZoneResult>(deps, ids, async (zone, lease) => {
    const now = deps.now();
    const end = async (fate: ZoneFate) => {
      await tryTransact(deps, [remove(Zone, ids, lease, concurrentUpdate)]);
      return { fate };
    };
    const keep = async (result: ZoneResult, afterMs: number, undelegatedSince: string | undefined) => {
      const set = { ...(undelegatedSince && { undelegatedSince }), ...schedule(Zone, timestampAfter(now, afterMs)) };
      const removed = [...LEASE_ATTRIBUTES, ...(undelegatedSince ? [] : ['undelegatedSince'])];
      const update = { set, remove: removed, when: lease };
      await tryChange(deps, Zone, ids, update);
      return result;
    };
    const { name, undelegatedSince } = zone;
    // The registrar also creates a zone for a domain with external name servers. It is not stored, and is found by its name.
    const hostedZoneId = zone.hostedZoneId ?? (await deps.dns.findZone(name, []))?.id;
    if (!hostedZoneId) return await end('GONE');
    const successor = await findSuccessor(deps, { ...zone, hostedZoneId });
    if (successor === 'REUSED') return await end('REUSED');
    if (successor === 'WAITING') return await keep({ fate: 'WAITING' }, RECHECK_INTERVAL_MS, undelegatedSince);
    const nameServers = await deps.dns.nameservers(hostedZoneId);
    if (!nameServers) return await end('GONE');
    let delegated: string[];
    try {
      delegated = await deps.delegations.of(name);
    } catch (error) {
      return await keep({ fate: 'UNKNOWN', unknown: error }, RECHECK_INTERVAL_MS, undelegatedSince);
    }
    if (delegated.some((nameServer) => nameServers.includes(nameServer)))
      return await keep({ fate: 'DELEGATED' }, CHECK_INTERVAL_MS, undefined);
    const since = undelegatedSince ?? now.toISOString();
    const remainingMs = Date.parse(since) + UNDELEGATED_MS - now.getTime();
    if (remainingMs > 0) return await keep({ fate: 'UNDELEGATED' }, Math.min(remainingMs, CHECK_INTERVAL_MS), since);
    return await end(await deleteZone(deps, { ...zone, hostedZoneId }));
  });
  if (!checked) return {};
  return 'problem' in checked ? { problem: checked.problem } : checked.result;
}

/** Checks the domain that holds the name by now. Its zone may be this one, or may become this one while the domain is being ordered. */
async function findSuccessor(
  { table }: Pick<Deps, 'table'>,
  { name, domainId, hostedZoneId }: Zone,
): Promise<'REUSED' | 'WAITING' | undefined> {
  const holder = await table.get(DomainName, { name });
  if (!holder || holder.domainId === domainId) return undefined;
  const { accountId } = holder;
  // Read the zone after the domain: a domain that becomes active gets its zone in the same transaction.
  const domain = await table.get(Domain, { accountId, id: holder.domainId });
  const zone = await table.get(Zone, { accountId, domainId: holder.domainId });
  if (zone?.hostedZoneId === hostedZoneId) return 'REUSED';
  return domain?.status === 'PENDING' ? 'WAITING' : undefined;
}

/** Deletes a hosted zone with its records. Idempotent. A zone that the platform never wrote to is deleted only if it has no records. */
async function deleteZone(
  { dns }: ReleaseDeps,
  { hostedZoneId, name, mirrored }: Zone & { hostedZoneId: string },
): Promise<ZoneFate> {
  const sets = await dns.recordSets(hostedZoneId, name);
  if (sets.length > 0 && mirrored === 0) return 'FOREIGN';
  if (sets.length > 0) await dns.change(hostedZoneId, diffRecordSets(sets, []));
  await dns.deleteZone(hostedZoneId);
  return 'DELETED';
}
