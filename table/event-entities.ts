import * as z from 'zod/mini';
import type { EventType } from '../contract/webhooks/events.ts';
import { DAY, entity, epoch, type ItemOf, type OfAccount } from './entities.ts';
import { joinKey as key } from './keys.ts';

/** How many partitions what is to be sent is spread over in the `due` index, so that none is hot. */
export const SHARDS = Array.from({ length: 8 }, (_, shard) => shard);
/** Ids of events and deliveries end in hexadecimal characters that are as good as random. */
export const shardOf = (id: string) => Number.parseInt(id.slice(-4), 16) % SHARDS.length;

/** How long after its time a queued attempt is taken for lost, in milliseconds: longer than an attempt takes. */
export const GRACE = 30_000;

/** The partition of events of which it is not known yet whether each of their deliveries has been made. */
export const unsettled = (shard: number) => key('EVENT', 'UNSETTLED', String(shard));

/**
 * The outbox: an event stands in the table in the same transaction as what it tells of. It is due until every endpoint that
 * it goes to has its delivery: no message and no record of the stream has to arrive for it to be found.
 */
export type Event = ItemOf<typeof Event>;
export const Event = entity({
  type: 'EVENT',
  schema: () =>
    z.object({
      id: z.string(),
      accountId: z.string(),
      type: z.custom<EventType>((value) => typeof value === 'string'),
      created: z.string(),
      data: z.record(z.string(), z.unknown()),
      /** The one endpoint that a `ping` is for; all that subscribe otherwise. */
      onlyTo: z.optional(z.string()),
    }),
  key: ({ accountId, id }: OfAccount) => ({ pk: key('ACCOUNT', accountId, 'EVENT', id), sk: 'EVENT' }),
  due: ({ id, created }) => ({
    duePk: unsettled(shardOf(id)),
    dueAt: new Date(Date.parse(created) + GRACE).toISOString(),
  }),
  expiresAtEpoch: (item) => epoch(item.created) + 30 * DAY,
});
