import * as z from 'zod/mini';
import { DNS_TYPES } from '../../contract/enums.ts';
import { entity, type ItemOf, object, oneOf } from '../entity.ts';
import { joinKey as key } from '../keys.ts';
import { schedule } from '../schedule.ts';

/** A domain whose DNS is ours: how far its records have come, and how far the name servers know them. */
export type Zone = ItemOf<typeof Zone>;
export const Zone = /* @__PURE__ */ entity({
  type: 'ZONE',
  schema: () =>
    z.object({
      accountId: z.string(),
      domainId: z.string(),
      name: z.string(),
      /** Counts changes of the records: of two racing ones exactly one wins. */
      version: z.int(),
      /** The version that the name servers have. */
      mirrored: z.int(),
      /** Id of the zone at the name servers; absent until the domain is registered. */
      hostedZoneId: z.optional(z.string()),
      /** Names that lead where another name does, unless their owner's own records say otherwise: name → other name. */
      aliases: z.optional(z.record(z.string(), z.string())),
      /** The execution that syncs the zone, and the end of its lease (epoch milliseconds). */
      lease: z.optional(object({ holder: z.string(), until: z.int() })),
      /** Failed syncs in a row, and the time (epoch milliseconds) before which there is no other attempt. */
      failures: z.optional(z.int()),
      retryAt: z.optional(z.int()),
      /** End of the registration: from then on the hosted zone is kept only while resolvers are sent to it (domain/dns/release.ts). */
      releasedAt: z.optional(z.string()),
      /** Of a released zone: since when no check has found that resolvers are sent to it. */
      undelegatedSince: z.optional(z.string()),
      /** While the name servers have an older version: the time by which they must have this one. Of a released zone: its next check. */
      dueAt: z.optional(z.string()),
    }),
  key: ({ accountId, domainId }: { accountId: string; domainId: string }) => ({
    pk: key('ACCOUNT', accountId),
    sk: key('ZONE', domainId),
  }),
  due: { queues: ['ZONE'] },
});

/** A zone whose change is not synced after this time is queued again, in milliseconds. */
const ZONE_SYNC_GRACE_MS = 60_000;
export const zoneSyncDue = (now: Date) => schedule(Zone, new Date(now.getTime() + ZONE_SYNC_GRACE_MS));

/**
 * Returns the attributes that schedule the sync of a changed zone. A zone that keeps failing is tried once more after a
 * minute, because the change may have removed the cause.
 */
export function zoneChanged(now: Date, { retryAt }: Pick<Zone, 'retryAt'>) {
  const due = zoneSyncDue(now);
  return retryAt === undefined ? due : { ...due, retryAt: Math.min(retryAt, Date.parse(due.dueAt)) };
}

/** Returns what says of a zone that nothing is written to it any more, and that it is checked from now on (domain/dns/release.ts). */
export const released = (now: Date) => ({ releasedAt: now.toISOString(), dueAt: now.toISOString() });

/** The partition of a domain's records: all are read at once, consistently. */
export const recordsOf = (domainId: string) => key('DOMAIN', domainId, 'RECORDS');

export type DnsRecord = ItemOf<typeof DnsRecord>;
export const DnsRecord = /* @__PURE__ */ entity({
  type: 'DNS_RECORD',
  schema: () =>
    z.object({
      id: z.string(),
      domainId: z.string(),
      type: oneOf(DNS_TYPES),
      /** Relative to the domain; empty for the domain itself. */
      name: z.string(),
      content: z.string(),
      ttl: z.int(),
      /** 0 where the type has none. */
      prio: z.int(),
      createdAt: z.string(),
    }),
  key: ({ domainId, id }: { domainId: string; id: string }) => ({ pk: recordsOf(domainId), sk: id }),
});
