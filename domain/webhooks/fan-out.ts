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

/** Deliveries of an event up to which they settle it; of more, each would read all others, and the reconciler costs less. */
const MAX_SETTLING = 6;

/** The same event to the same endpoint is the same delivery, however often it is asked for. */
const deliveryId = (eventId: string, webhookId: string): string =>
  `dlv_${createHash('sha256').update(`${eventId} ${webhookId}`).digest('hex').slice(0, 32)}`;

/** Content of an event's deliveries: the same for every endpoint and at every attempt (specification, Request format). */
function contentOf({ id, type, created, data }: Event): DeliveryContent {
  // Parsed, so that the fields stand in the contract's order: the table keeps none.
  const body = JSON.stringify({ id, type, created, data: dataOf(type, data) });
  return { type, createdAt: created, body };
}

/** Returns a delivery before its first attempt. */
export const startDelivery = (
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
  startDelivery({ accountId: event.accountId, webhookId, eventId: event.id }, contentOf(event), now);

export const toMessage = ({ accountId, webhookId, eventId, id, step }: Delivery): DeliveryMessage => ({
  accountId,
  webhookId,
  eventId,
  step,
  deliveryId: id,
});

/**
 * Those of an account's endpoints that an event goes to, disabled ones too: to them it is skipped, visibly. One that was
 * registered after the event does not get it, however late the event is processed.
 */
export const findSubscribers = ({ type, onlyTo, created }: Event, webhooks: readonly Webhook[]): Webhook[] =>
  webhooks.filter(({ id, events, createdAt }) =>
    onlyTo ? id === onlyTo : createdAt <= created && (events.includes('*') || events.includes(type)),
  );

/** Returns the write which notes that nothing more is to be done for an event but what its deliveries tell of themselves. */
export function settlingOf(
  { accountId, id }: Pick<Event, 'accountId' | 'id'>,
  when: { inFeed?: 'present' } = {},
): Write {
  const what = { remove: unschedule(Event), when: { duePk: 'present' as const, ...when } };
  return change(Event, { accountId, id }, what, concurrentUpdate);
}

/** Settles an event, unless it is settled or does not meet the condition. */
export async function settleEvent(
  deps: Pick<Deps, 'table'>,
  event: Pick<Event, 'accountId' | 'id'>,
  when: { inFeed?: 'present' } = {},
): Promise<void> {
  await ignoreConflict(deps.table.updateReturningChanged(settlingOf(event, when)));
}

/**
 * Settles an event whose delivery was stored, if its other deliveries are stored as well: the last of them sees all. So the
 * reconciler finds only events that lost something. An event that has no place yet in a feed that it belongs to stays due.
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
 * Returns the messages for an event's first attempts at all endpoints that it goes to. They carry the content, so that the event
 * is not read again; the endpoint is read at each attempt, because it may be changed, disabled or deleted by then.
 * @param needsFeed whether a place in the account's feed has to be there before the event is settled
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
  const settles = (own: string) =>
    ids.length > MAX_SETTLING ? {} : { settles: { others: ids.filter((id) => id !== own), inFeed: needsFeed } };
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
 * Returns the messages for a new event's first attempts, one for each endpoint that subscribes to it. Stores nothing: a delivery
 * is stored with its first attempt, and until then the event stays due.
 */
export async function fanOut({ table, now }: Pick<Deps, 'table' | 'now'>, event: Event): Promise<DeliveryMessage[]> {
  const { accountId } = event;
  const [webhooks, feed] = await Promise.all([
    table.all(Webhook, webhooksOf(accountId)),
    // A ping is in no feed.
    event.onlyTo ? undefined : table.get(EventFeed, { accountId }),
  ]);
  const subscribers = findSubscribers(event, webhooks);
  if (subscribers.length > 0) return firstMessages(event, subscribers, feed !== undefined, now());
  // An event that belongs to a feed is settled with its place there (feed.ts).
  if (!feed) await settleEvent({ table }, event);
  return [];
}

/** Queues attempts that are due now. The reconciler finds those that could not be queued. */
export const queueAttempts = (deps: { queue: DeliveryQueue }, messages: readonly DeliveryMessage[]): Promise<void> =>
  deps.queue.send(messages.map((message) => ({ message, delay: 0 })));

/** Queues the next attempt of each delivery, due now. */
export const queueDeliveries = (deps: { queue: DeliveryQueue }, deliveries: readonly Delivery[]): Promise<void> =>
  queueAttempts(deps, deliveries.map(toMessage));
