import * as z from 'zod/mini';
import { DELIVERY_OUTCOMES, DELIVERY_STATUSES } from '../../contract/enums.ts';
import { DAY, entity, epoch, type ItemOf, type OfAccount } from '../entities.ts';
import { GRACE, shardOf } from '../event-entities.ts';
import { joinKey as key } from '../keys.ts';

const sealed = () => z.object({ wrappedKey: z.string(), iv: z.string(), ciphertext: z.string() });

/** The partition of an account's endpoints. */
export const webhooksOf = (accountId: string) => key('ACCOUNT', accountId, 'WEBHOOKS');

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
  key: ({ accountId, id }: OfAccount) => ({ pk: webhooksOf(accountId), sk: id }),
});

/** The list of an endpoint's deliveries; each stands there by the time it was made. */
export const deliveriesOf = (webhookId: string) => key('WEBHOOK', webhookId, 'DELIVERIES');

/** One event on its way to one endpoint, with every attempt made. It stands here from its first attempt on. */
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
      /** Steps ever taken: a message in the queue asks for one of these, and is stale once it is recorded. */
      serial: z.int(),
      /** Failed attempts of the schedule under way. */
      tries: z.int(),
      /** Set while a resend waits to be queued. */
      resendAt: z.optional(z.string()),
    }),
  key: ({ accountId, id }: OfAccount) => ({ pk: key('ACCOUNT', accountId, 'DELIVERY', id), sk: 'DELIVERY' }),
  list: (item) => ({ listPk: deliveriesOf(item.webhookId), listSk: key(item.createdAt, item.id) }),
  expiresAtEpoch: (item) => epoch(item.createdAt) + 30 * DAY,
});

export const deliveryShard = (state: 'QUEUED' | 'WAITING', shard: number) => key('DELIVERY', state, String(shard));

/** A message is on its way for an attempt at this time: if it is still to be made long after, the message is lost. */
export const queuedFor = (id: string, attemptAt: string, grace: number = GRACE) => ({
  duePk: deliveryShard('QUEUED', shardOf(id)),
  dueAt: new Date(Date.parse(attemptAt) + grace).toISOString(),
});
/** The attempt is too far off for a message: one must be sent in time. */
export const waitingFor = (id: string, attemptAt: string) => ({
  duePk: deliveryShard('WAITING', shardOf(id)),
  dueAt: attemptAt,
});

/** How far a sweep over waiting items has come. */
export const Sweep = entity({
  type: 'SWEEP',
  schema: () => z.object({ name: z.string(), upTo: z.string() }),
  key: ({ name }: { name: string }) => ({ pk: key('SWEEP', name), sk: 'SWEEP' }),
});
