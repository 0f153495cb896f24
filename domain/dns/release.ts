import type { Delegations } from '../../providers/dns/delegations.ts';
import type { Dns } from '../../providers/dns/dns.ts';
import { Zone } from '../../table/entities/dns.ts';
import { Domain, DomainName } from '../../table/entities/registrar.ts';
import { schedule } from '../../table/schedule.ts';
import { change, remove } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { DAY_MS, timestampAfter } from '../time.ts';
import { LEASE_ATTRIBUTES, withLease, type ZoneIds } from './lease.ts';
import { diffRecordSets, syncZone, type ZoneSyncResult } from './sync.ts';

/**
 * The end of hosted zones. A domain that was transferred away may be served from its zone still, and any other account of Route 53
 * may try to get a zone whose name servers the registry names. So a released zone is deleted only when resolvers were not sent to it for
 * weeks (docs/decisions/0019-domain-registration-and-dns.md).
 */

/** Time for which no check may find that resolvers are sent to a zone before it is deleted, in milliseconds. */
const UNDELEGATED_MS = 28 * DAY_MS;
/** Time until the next check, in milliseconds; less where the last one could not tell. */
const CHECK_INTERVAL_MS = 7 * DAY_MS;
const RECHECK_INTERVAL_MS = DAY_MS;

/**
 * State of a released zone after a check: `DELEGATED` while resolvers are sent to it; `UNDELEGATED` until it was so for weeks; `UNKNOWN`
 * where no server answers for the name; `WAITING` for an order of the same name; `REUSED` by the name's next domain; `FOREIGN`, which
 * has records that are not ours; `GONE`, deleted by another; `DELETED`.
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

/** Serves a message about a zone: syncs it, or checks whether a released one is needed still. */
export async function serveZone(deps: ReleaseDeps, of: ZoneIds): Promise<ZoneResult> {
  const zone = await deps.table.get(Zone, of);
  return zone?.releasedAt ? await checkReleased(deps, of) : await syncZone(deps, of);
}

async function checkReleased(deps: ReleaseDeps, of: ZoneIds): Promise<ZoneResult> {
  const checked = await withLease<ZoneResult>(deps, of, async (zone, held) => {
    const now = deps.now();
    const end = async (fate: ZoneFate) => {
      await ignoreConflict(deps.table.transact([remove(Zone, of, { ...held }, concurrentUpdate)]));
      return { fate };
    };
    const keep = async (result: ZoneResult, afterMs: number, undelegatedSince: string | undefined) => {
      const set = { ...(undelegatedSince && { undelegatedSince }), ...schedule(Zone, timestampAfter(now, afterMs)) };
      const gone = [...LEASE_ATTRIBUTES, ...(undelegatedSince ? [] : ['undelegatedSince'])];
      const what = { set, remove: gone, when: { ...held } };
      await ignoreConflict(deps.table.write(Zone, change(Zone, of, what, concurrentUpdate)));
      return result;
    };
    const { name, undelegatedSince } = zone;
    // The registrar makes a zone also for a domain that has other name servers from the start: it is found by its name.
    const hostedZoneId = zone.hostedZoneId ?? (await deps.dns.findZone(name, []))?.id;
    if (!hostedZoneId) return await end('GONE');
    const successor = await findSuccessor(deps, { ...zone, hostedZoneId });
    if (successor === 'REUSED') return await end('REUSED');
    if (successor === 'WAITING') return await keep({ fate: 'WAITING' }, RECHECK_INTERVAL_MS, undelegatedSince);
    const own = await deps.dns.nameservers(hostedZoneId);
    if (!own) return await end('GONE');
    let asked: string[];
    try {
      asked = await deps.delegations.of(name);
    } catch (error) {
      return await keep({ fate: 'UNKNOWN', unknown: error }, RECHECK_INTERVAL_MS, undelegatedSince);
    }
    if (asked.some((each) => own.includes(each)))
      return await keep({ fate: 'DELEGATED' }, CHECK_INTERVAL_MS, undefined);
    const since = undelegatedSince ?? now.toISOString();
    const leftMs = Date.parse(since) + UNDELEGATED_MS - now.getTime();
    if (leftMs > 0) return await keep({ fate: 'UNDELEGATED' }, Math.min(leftMs, CHECK_INTERVAL_MS), since);
    return await end(await deleteZone(deps, { ...zone, hostedZoneId }));
  });
  if (!checked) return {};
  return 'problem' in checked ? { problem: checked.problem } : checked.result;
}

/** Looks at the domain that has the name by now: its zone may be this one, or become it while it is ordered. */
async function findSuccessor(
  { table }: Pick<Deps, 'table'>,
  { name, domainId, hostedZoneId }: Zone,
): Promise<'REUSED' | 'WAITING' | undefined> {
  const holder = await table.get(DomainName, { name });
  if (!holder || holder.domainId === domainId) return undefined;
  const { accountId } = holder;
  // The zone after the domain: one that becomes active gets its zone in the same transaction.
  const domain = await table.get(Domain, { accountId, id: holder.domainId });
  const zone = await table.get(Zone, { accountId, domainId: holder.domainId });
  if (zone?.hostedZoneId === hostedZoneId) return 'REUSED';
  return domain?.status === 'PENDING' ? 'WAITING' : undefined;
}

/** Deletes a hosted zone with its records. May be repeated. One that never had records of ours is deleted only if it has none. */
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
