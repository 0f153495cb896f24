import { createHash } from 'node:crypto';
import { dataOf } from '../../contract/webhooks/events.ts';
import {
  type DeliveryContent,
  type DeliveryMessage,
  type DeliveryQueue,
  fitsMessage,
} from '../../providers/webhooks/delivery-queue.ts';
import { Delivery, Event, EventFeed, Webhook, webhooksOf } from '../../table/entities/webhooks.ts';
import { unschedule } from '../../table/schedule.ts';
import { change, type Write } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { isSlow } from './slow-lane.ts';

/** Maximum number of deliveries that settle their event themselves. With more, each would read all others, and the reconciler is cheaper. */
const MAX_SETTLING = 6;

/** Derives a delivery's id from its event and endpoint, so that a repeated fan-out creates no second delivery. */
const deliveryId = (eventId: string, webhookId: string): string =>
  `dlv_${createHash('sha256').update(`${eventId} ${webhookId}`).digest('hex').slice(0, 32)}`;

/** Returns the content of an event's deliveries: the same for every endpoint and every attempt (specification, Request format). */
function contentOf({ id, type, created, data }: Event): DeliveryContent {
  // Parsing restores the contract's order of the fields, which the table does not keep.
  const body = JSON.stringify({ id, type, created, data: dataOf(type, data) });
  return { type, createdAt: created, body };
}

/** Returns a delivery before its first attempt. */
export const buildDelivery = (
  { accountId, webhookId, eventId }: Pick<Delivery, 'accountId' | 'webhookId' | 'eventId'>,
  { type, createdAt, body }: DeliveryContent,
  now: Date,
): Delivery => ({
  id: deliveryId(eventId, webhookId),
  accountId,
  webhookId,
  eventId,
  type,
  body,
  createdAt,
  status: 'PENDING',
  nextAttemptAt: now.toISOString(),
  attempts: [],
  step: 0,
  tries: 0,
});

/** Returns an event's delivery to an endpoint before its first attempt. */
export const newDelivery = (event: Event, { id: webhookId }: Pick<Webhook, 'id'>, now: Date): Delivery =>
  buildDelivery({ accountId: event.accountId, webhookId, eventId: event.id }, contentOf(event), now);

/** Returns the message that requests the next attempt at a delivery. */
export const toMessage = ({ accountId, webhookId, eventId, id, step }: Delivery): DeliveryMessage => ({
  accountId,
  webhookId,
  eventId,
  step,
  deliveryId: id,
});

/**
 * Returns the endpoints that an event goes to. They include disabled endpoints, whose delivery is recorded as skipped. An endpoint
 * that was created after the event does not receive it, however late the event is processed.
 */
export const findSubscribers = ({ type, onlyTo, created }: Event, webhooks: readonly Webhook[]): Webhook[] =>
  webhooks.filter(({ id, events, createdAt }) =>
    onlyTo ? id === onlyTo : createdAt <= created && (events.includes('*') || events.includes(type)),
  );

/** Returns the write that settles an event: all its deliveries are stored, so that the event needs no further work itself. */
export function settlingOf(
  { accountId, id }: Pick<Event, 'accountId' | 'id'>,
  when: { inFeed?: 'present' } = {},
): Write {
  const update = { remove: unschedule(Event), when: { duePk: 'present' as const, ...when } };
  return change(Event, { accountId, id }, update, concurrentUpdate);
}

/** Settles an event, unless it is already settled or does not meet the condition. */
export async function settleEvent(
  deps: Pick<Deps, 'table'>,
  event: Pick<Event, 'accountId' | 'id'>,
  when: { inFeed?: 'present' } = {},
): Promise<void> {
  await ignoreConflict(deps.table.updateReturningChanged(settlingOf(event, when)));
}

/**
 * Settles an event after one of its deliveries was stored, if all its other deliveries are stored as well: the last one finds all
 * others. Thus the reconciler finds only events with lost records or messages. An event that is missing from its account's feed
 * stays due.
 */
export async function settleDelivered(
  deps: Pick<Deps, 'table'>,
  { accountId, eventId, settles }: Pick<DeliveryMessage, 'accountId' | 'eventId' | 'settles'>,
): Promise<void> {
  if (!settles) return;
  const others = await Promise.all(settles.others.map((id) => deps.table.get(Delivery, { accountId, id })));
  if (others.includes(undefined)) return;
  await settleEvent(deps, { accountId, id: eventId }, settles.inFeed ? { inFeed: 'present' } : {});
}

/**
 * Returns the messages for an event's first attempts, one per subscribed endpoint. They carry the content, so that the event is not
 * read again. The endpoint is read at each attempt, because it may have been changed, disabled or deleted by then.
 * @param needsFeed true if the event may be settled only once it is in the account's feed
 */
export function firstMessages(
  event: Event,
  subscribers: readonly Webhook[],
  needsFeed: boolean,
  now: Date,
): DeliveryMessage[] {
  const { accountId, id: eventId } = event;
  const content = contentOf(event);
  const carried = fitsMessage(content) ? { content } : {};
  const ids = subscribers.map(({ id }) => deliveryId(eventId, id));
  const settles = (ownId: string) =>
    ids.length > MAX_SETTLING ? {} : { settles: { others: ids.filter((id) => id !== ownId), inFeed: needsFeed } };
  return subscribers.map((webhook, index) => {
    const id = ids[index] ?? '';
    return {
      accountId,
      webhookId: webhook.id,
      eventId,
      deliveryId: id,
      step: 0,
      ...carried,
      ...settles(id),
      ...(isSlow(webhook, now) ? { slow: true } : {}),
    };
  });
}

/**
 * Returns the messages for a new event's first attempts, one per subscribed endpoint. It stores no delivery: a delivery is stored
 * with its first attempt, and the event stays due until then.
 */
export async function fanOut({ table, now }: Pick<Deps, 'table' | 'now'>, event: Event): Promise<DeliveryMessage[]> {
  const { accountId } = event;
  const [webhooks, feed] = await Promise.all([
    table.all(Webhook, webhooksOf(accountId)),
    // Pings do not appear in feeds.
    event.onlyTo ? undefined : table.get(EventFeed, { accountId }),
  ]);
  const subscribers = findSubscribers(event, webhooks);
  if (subscribers.length > 0) return firstMessages(event, subscribers, feed !== undefined, now());
  // An event of an account with a feed is settled when it is appended to the feed (feed.ts).
  if (!feed) await settleEvent({ table }, event);
  return [];
}

/** Queues attempts without a delay. The reconciler finds those that could not be queued. */
export const queueAttempts = (deps: { queue: DeliveryQueue }, messages: readonly DeliveryMessage[]): Promise<void> =>
  deps.queue.send(messages.map((message) => ({ message, delay: 0 })));

/** Queues the next attempt of each delivery without a delay. */
export const queueDeliveries = (deps: { queue: DeliveryQueue }, deliveries: readonly Delivery[]): Promise<void> =>
  queueAttempts(deps, deliveries.map(toMessage));
