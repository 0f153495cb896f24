import * as z from 'zod/mini';
import { DNS_TYPES } from '../../contract/enums.ts';
import { entity, type ItemOf, object, oneOf } from '../entity.ts';
import { joinKey as key } from '../keys.ts';
import { schedule } from '../schedule.ts';

/** The zone of a domain that the platform's name servers serve: the version of its records, and the version that is synced. */
export type Zone = ItemOf<typeof Zone>;
export const Zone = /* @__PURE__ */ entity({
  type: 'ZONE',
  schema: () =>
    z.object({
      accountId: z.string(),
      domainId: z.string(),
      name: z.string(),
      /** The version of the records, so that only one of two concurrent changes succeeds. */
      version: z.int(),
      /**
       * Counts by which changes of different names need not wait for each other (domain/dns/zone-changes.ts): the number of records, and of
       * the additions in each group of names since version `since`. They are valid while `version` equals the zone's.
       */
      changes: z.optional(
        object({ since: z.int(), version: z.int(), count: z.int(), names: z.record(z.string(), z.int()) }),
      ),
      /** The version that the name servers have. */
      mirrored: z.int(),
      /** The id of the zone at the name servers; absent until the domain is registered. */
      hostedZoneId: z.optional(z.string()),
      /** Names that point to the target of another name, unless the owner's records override them: name → other name. */
      aliases: z.optional(z.record(z.string(), z.string())),
      /** The execution that syncs the zone, and the end of its lease (epoch milliseconds). */
      lease: z.optional(object({ holder: z.string(), until: z.int() })),
      /** The number of consecutive failed syncs, and the time (epoch milliseconds) before which there is no other attempt. */
      failures: z.optional(z.int()),
      retryAt: z.optional(z.int()),
      /** The end of the registration. From then on, the hosted zone is kept only while the registry delegates to it (domain/dns/release.ts). */
      releasedAt: z.optional(z.string()),
      /** For a released zone: the time since which no check has found a delegation to it. */
      undelegatedSince: z.optional(z.string()),
      /** While the name servers have an older version: the time by which they must have this one. For a released zone: the time of the next check. */
      dueAt: z.optional(z.string()),
    }),
  key: ({ accountId, domainId }: { accountId: string; domainId: string }) => ({
    pk: key('ACCOUNT', accountId),
    sk: key('ZONE', domainId),
  }),
  due: { queues: ['ZONE'] },
});

/** The time in milliseconds after which an unsynced change of a zone is queued again. */
const ZONE_SYNC_GRACE_MS = 60_000;
/** Returns the attributes that make the reconciler queue a zone's sync if its message is lost. */
export const zoneSyncDue = (now: Date) => schedule(Zone, new Date(now.getTime() + ZONE_SYNC_GRACE_MS));

/**
 * Returns the attributes that schedule the sync of a changed zone. A failing zone is retried after a minute at the latest, because
 * the change may have removed the cause.
 */
export function zoneChanged(now: Date, { retryAt }: Pick<Zone, 'retryAt'>) {
  const due = zoneSyncDue(now);
  return retryAt === undefined ? due : { ...due, retryAt: Math.min(retryAt, Date.parse(due.dueAt)) };
}

/** Returns the attributes of a released zone: it is no longer written, and its delegation is checked from now on (domain/dns/release.ts). */
export const released = (now: Date) => ({ releasedAt: now.toISOString(), dueAt: now.toISOString() });

/** The partition of a domain's records, so that one consistent query reads them all. */
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
      /** 0 for types without a priority. */
      prio: z.int(),
      createdAt: z.string(),
    }),
  key: ({ domainId, id }: { domainId: string; id: string }) => ({ pk: recordsOf(domainId), sk: id }),
});
