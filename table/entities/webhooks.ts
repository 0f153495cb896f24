import * as z from 'zod/mini';
import { DELIVERY_OUTCOMES, DELIVERY_STATUSES } from '../../contract/enums.ts';
import type { EventType } from '../../contract/webhooks/events.ts';
import { type AccountScopedId, DAY, entity, epoch, type ItemOf, object, oneOf, sealed } from '../entity.ts';
import { joinKey as key } from '../keys.ts';
import { deliveryStep } from '../migrations/0002-delivery-step.ts';
import { schedule } from '../schedule.ts';

/** The number of partitions in the `due` index for each queue of events and deliveries, so that no partition becomes hot. */
const SHARDS = {
  count: 8,
  /** Returns the partition of an id, whose last hexadecimal characters are practically random. */
  of: (id: string) => Number.parseInt(id.slice(-4), 16) % 8,
};

/** The partition of an account's endpoints. */
export const webhooksOf = (accountId: string) => key('ACCOUNT', accountId, 'WEBHOOKS');

/** A webhook endpoint. An account's endpoints share a partition, so that fan-out reads them in one consistent query. */
export type Webhook = ItemOf<typeof Webhook>;
export const Webhook = /* @__PURE__ */ entity({
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
      /** The number of consecutive slow attempts; absent if the last one was fast. */
      slowAttempts: z.optional(z.int()),
      /** The time until which its deliveries go to the slow lane (domain/webhooks/slow-lane.ts). */
      slowUntil: z.optional(z.string()),
      /** Present while the account or this endpoint is suspended. Nothing is sent, and deliveries wait. */
      heldSince: z.optional(z.string()),
      /** Present while an operator has suspended this endpoint. */
      suspension: z.optional(object({ reason: z.string(), since: z.string() })),
      /** The secret before the last rotation. Deliveries are also signed with it until it expires. */
      previous: z.optional(object({ secret: sealed(), expiresAt: z.string() })),
      createdAt: z.string(),
    }),
  key: ({ accountId, id }: AccountScopedId) => ({ pk: webhooksOf(accountId), sk: id }),
});

/** The list of an endpoint's deliveries, sorted by creation. */
export const deliveriesOf = (webhookId: string) => key('WEBHOOK', webhookId, 'DELIVERIES');
/** Returns the sort key of a delivery in its endpoint's list. */
export const deliveryOrder = ({ createdAt, id }: { createdAt: string; id: string }) => key(createdAt, id);

const milliseconds = () => z.nullable(z.int());
/** An attempt at a delivery. The details of its HTTP exchange are absent in attempts of version 0.2.0. */
const attempt = () => ({
  id: z.string(),
  at: z.string(),
  outcome: oneOf(DELIVERY_OUTCOMES),
  responseStatus: z.nullable(z.int()),
  responseBody: z.string(),
  /** Lines of `Name: value`; absent if the delivery stores its only attempt itself and they do not fit next to the response. */
  responseHeaders: z.optional(z.string()),
  timing: z.optional(
    object({
      dnsMs: milliseconds(),
      connectMs: milliseconds(),
      tlsMs: milliseconds(),
      firstByteMs: milliseconds(),
    }),
  ),
  durationMs: z.int(),
});

/** The delivery of an event to an endpoint. The item exists from the first attempt on. */
export type Delivery = ItemOf<typeof Delivery>;
export const Delivery = /* @__PURE__ */ entity({
  type: 'DELIVERY',
  migrations: [deliveryStep],
  schema: () =>
    z.object({
      id: z.string(),
      accountId: z.string(),
      webhookId: z.string(),
      eventId: z.string(),
      type: z.string(),
      /** The body that every attempt sends. */
      body: z.string(),
      status: oneOf(DELIVERY_STATUSES),
      createdAt: z.string(),
      nextAttemptAt: z.nullable(z.string()),
      /** The only attempt, if it succeeded with a short response; all attempts in deliveries of version 0.2.0. */
      attempts: z.array(object(attempt())),
      /** Summary of the attempts that are separate items: their number, the latest durations in milliseconds, and the last outcome. */
      made: z.optional(object({ count: z.int(), durations: z.array(z.int()), lastOutcome: oneOf(DELIVERY_OUTCOMES) })),
      /** The number of steps taken. A message in the queue is for one step, and stale once that step is recorded. */
      step: z.int(),
      /** The number of failed attempts in the current retry schedule. */
      tries: z.int(),
      /** Present while a resend waits to be queued. */
      resendAt: z.optional(z.string()),
      /** True while it waits for the end of the account's suspension. */
      held: z.optional(z.literal(true)),
    }),
  key: ({ accountId, id }: AccountScopedId) => ({ pk: key('ACCOUNT', accountId, 'DELIVERY', id), sk: 'DELIVERY' }),
  list: (item) => ({ listPk: deliveriesOf(item.webhookId), listSk: deliveryOrder(item) }),
  // The due queue depends on the next attempt. The write that stores that attempt adds `queuedAt` or `waitingUntil`.
  due: { queues: ['DELIVERY#QUEUED', 'DELIVERY#WAITING'], at: () => undefined, shards: SHARDS },
  expiresAtEpoch: (item) => epoch(item.createdAt) + 30 * DAY,
});

/**
 * Returns the due attributes of a delivery whose message is queued for `attemptAt`. If the attempt is not made within the grace
 * period, the message counts as lost.
 */
export const queuedAt = (id: string, attemptAt: string, grace: number = ATTEMPT_GRACE_MS) =>
  schedule(Delivery, new Date(Date.parse(attemptAt) + grace), { queue: 'DELIVERY#QUEUED', id });
/** Returns the due attributes of a delivery whose next attempt is too far in the future for a message in the queue. */
export const waitingUntil = (id: string, attemptAt: string) =>
  schedule(Delivery, attemptAt, { queue: 'DELIVERY#WAITING', id });

/** An attempt of a delivery, with the start of the response. It is written once, and read only to be shown. */
export type DeliveryAttempt = ItemOf<typeof DeliveryAttempt>;
export const DeliveryAttempt = /* @__PURE__ */ entity({
  type: 'DELIVERY_ATTEMPT',
  schema: () =>
    z.object({
      accountId: z.string(),
      deliveryId: z.string(),
      /** The number of the attempt, from 0. */
      number: z.int(),
      /** The delivery's step for which it was made. */
      step: z.optional(z.int()),
      ...attempt(),
    }),
  key: ({ accountId, deliveryId, number }: { accountId: string; deliveryId: string; number: number }) => ({
    pk: key('ACCOUNT', accountId, 'DELIVERY', deliveryId, 'ATTEMPT', String(number)),
    sk: 'ATTEMPT',
  }),
  expiresAtEpoch: (item) => epoch(item.at) + 30 * DAY,
});

/** The time in milliseconds after which a queued attempt counts as lost. It is longer than an attempt takes. */
export const ATTEMPT_GRACE_MS = 30_000;

/**
 * The outbox: an event is written in the same transaction as the change that it reports. It is due until each subscribed endpoint has
 * its delivery and the account's feed, if there is one, has the event. So a sweep finds it even if no message or stream record arrives.
 */
export type Event = ItemOf<typeof Event>;
export const Event = /* @__PURE__ */ entity({
  type: 'EVENT',
  schema: () =>
    z.object({
      id: z.string(),
      accountId: z.string(),
      type: z.custom<EventType>((value) => typeof value === 'string'),
      created: z.string(),
      data: z.record(z.string(), z.unknown()),
      /** The only endpoint for a `ping`; absent for events that go to all subscribed endpoints. */
      onlyTo: z.optional(z.string()),
      /** True once it has its position in the account's feed. */
      inFeed: z.optional(z.literal(true)),
    }),
  key: ({ accountId, id }: AccountScopedId) => ({ pk: key('ACCOUNT', accountId, 'EVENT', id), sk: 'EVENT' }),
  due: {
    queues: ['EVENT#UNSETTLED'],
    at: ({ created }) => new Date(Date.parse(created) + ATTEMPT_GRACE_MS).toISOString(),
    shards: SHARDS,
  },
  expiresAtEpoch: (item) => epoch(item.created) + 30 * DAY,
});

/** The number of days for which an event stays in the feed. */
export const FEED_DAYS = 30;

/** The last position in an account's feed. It never expires, so that no position is assigned twice. */
export type EventFeed = ItemOf<typeof EventFeed>;
export const EventFeed = /* @__PURE__ */ entity({
  type: 'EVENT_FEED',
  schema: () => z.object({ accountId: z.string(), position: z.int() }),
  key: ({ accountId }: { accountId: string }) => ({ pk: key('ACCOUNT', accountId, 'EVENT_FEED'), sk: 'EVENT_FEED' }),
});

/** An event at its position in the account's feed. Positions are 1, 2, 3 and so on, without gaps, and entries are read by position. */
export type FeedEntry = ItemOf<typeof FeedEntry>;
export const FeedEntry = /* @__PURE__ */ entity({
  type: 'FEED_ENTRY',
  schema: () =>
    z.object({
      accountId: z.string(),
      position: z.int(),
      id: z.string(),
      type: z.custom<EventType>((value) => typeof value === 'string'),
      created: z.string(),
      data: z.record(z.string(), z.unknown()),
    }),
  key: ({ accountId, position }: { accountId: string; position: number }) => ({
    pk: key('ACCOUNT', accountId, 'FEED', String(position)),
    sk: 'FEED_ENTRY',
  }),
  expiresAtEpoch: (item) => epoch(item.created) + FEED_DAYS * DAY,
});
