import * as z from 'zod/mini';
import { DELIVERY_OUTCOMES, DELIVERY_STATUSES } from '../contract/choices.ts';
import { DAY, entity, epoch, type ItemOf, type OfAccount } from './entities.ts';
import { joinKey as key } from './keys.ts';

const sealed = () => z.object({ wrappedKey: z.string(), iv: z.string(), ciphertext: z.string() });

/** An endpoint of an account. All of an account's stand in one partition: fan-out reads them at once, consistently. */
export type Webhook = ItemOf<typeof Webhook>;
export const Webhook = entity({
  type: 'WEBHOOK',
  schema: () =>
    z.object({
      id: z.string(),
      accountId: z.string(),
      url: z.string(),
      description: z.string(),
      events: z.array(z.string()),
      active: z.boolean(),
      /** Failed attempts since the last success. */
      failureCount: z.int(),
      disabledAt: z.nullable(z.string()),
      secret: sealed(),
      /** The secret before the last rotation, which signs too until it expires. */
      previous: z.optional(z.object({ secret: sealed(), expiresAt: z.string() })),
      createdAt: z.string(),
    }),
  key: ({ accountId, id }: OfAccount) => ({ pk: key('ACCOUNT', accountId, 'WEBHOOKS'), sk: id }),
});

/** One event on its way to one endpoint, with every attempt made. */
export type Delivery = ItemOf<typeof Delivery>;
export const Delivery = entity({
  type: 'DELIVERY',
  schema: () =>
    z.object({
      id: z.string(),
      accountId: z.string(),
      webhookId: z.string(),
      eventId: z.string(),
      type: z.string(),
      /** The bytes that every attempt sends. */
      body: z.string(),
      status: z.enum(DELIVERY_STATUSES),
      createdAt: z.string(),
      nextAttemptAt: z.nullable(z.string()),
      attempts: z.array(
        z.object({
          id: z.string(),
          at: z.string(),
          outcome: z.enum(DELIVERY_OUTCOMES),
          responseStatus: z.nullable(z.int()),
          responseBody: z.string(),
          durationMs: z.int(),
        }),
      ),
      /** Attempts ever recorded: a message in the queue is for one of these, and stale once it is recorded. */
      serial: z.int(),
      /** Failed attempts of the schedule under way. */
      tries: z.int(),
      /** Set while a resend waits to be queued. */
      resendAt: z.optional(z.string()),
    }),
  key: ({ accountId, id }: OfAccount) => ({ pk: key('ACCOUNT', accountId, 'DELIVERY', id), sk: 'DELIVERY' }),
  list: (item) => ({ listPk: key('WEBHOOK', item.webhookId, 'DELIVERIES'), listSk: key(item.createdAt, item.id) }),
  due: (item) => (item.nextAttemptAt ? deliveryDue(item.id, 'QUEUED', item.nextAttemptAt) : undefined),
  expiresAtEpoch: (item) => epoch(item.createdAt) + 30 * DAY,
});

/** How many partitions pending deliveries are spread over, so that none is hot. */
export const DELIVERY_SHARDS = 8;
export const deliveryShard = (state: 'QUEUED' | 'WAITING', shard: number) => key('DELIVERY', state, String(shard));
/** `QUEUED`: a message is on its way, and overdue is lost. `WAITING`: a message must be sent before `dueAt`. */
export const deliveryDue = (id: string, state: 'QUEUED' | 'WAITING', dueAt: string) => ({
  duePk: deliveryShard(state, Number.parseInt(id.slice(-4), 16) % DELIVERY_SHARDS),
  dueAt,
});

/** How far a sweep over waiting items has come. */
export const Sweep = entity({
  type: 'SWEEP',
  schema: () => z.object({ name: z.string(), upTo: z.string() }),
  key: ({ name }: { name: string }) => ({ pk: key('SWEEP', name), sk: 'SWEEP' }),
});
