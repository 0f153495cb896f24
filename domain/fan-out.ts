import { createHash } from 'node:crypto';
import { EVENTS } from '../contract/webhooks/events.ts';
import type { DeliveryMessage, DeliveryQueue } from '../providers/webhooks/delivery-queue.ts';
import { type Delivery, Webhook, webhooksOf } from '../table/entities/webhooks.ts';
import { Event } from '../table/event-entities.ts';
import { change } from '../table/writes.ts';
import type { Deps } from './deps.ts';
import { overtaken, unlessOvertaken } from './overtaken.ts';

/** The same event to the same endpoint is the same delivery, however often it is asked for. */
const deliveryId = (eventId: string, webhookId: string): string =>
  `dlv_${createHash('sha256').update(`${eventId} ${webhookId}`).digest('hex').slice(0, 32)}`;

/** The bytes that every receiver of an event gets at every attempt (specification, Request format). */
function bodyOf({ id, type, created, data }: Event): string {
  // Parsed, so that the fields stand in the contract's order: the table keeps none.
  return JSON.stringify({ id, type, created, data: EVENTS[type]().parse(data) });
}

/** An event's delivery to an endpoint before its first attempt. */
export function newDelivery(event: Event, { id: webhookId }: Pick<Webhook, 'id'>, now: Date): Delivery {
  const { accountId, id: eventId, type, created: createdAt } = event;
  return {
    ...{ id: deliveryId(eventId, webhookId), accountId, webhookId, eventId, type, body: bodyOf(event), createdAt },
    ...{ status: 'PENDING', nextAttemptAt: now.toISOString(), attempts: [], serial: 0, tries: 0 },
  };
}

export const messageOf = ({ accountId, webhookId, eventId, id, serial }: Delivery): DeliveryMessage => ({
  ...{ accountId, webhookId, eventId, serial },
  deliveryId: id,
});

/** Those of an account's endpoints that an event goes to, disabled ones too: to them it is skipped, visibly. */
export const subscribersOf = ({ type, onlyTo }: Event, webhooks: readonly Webhook[]): Webhook[] =>
  webhooks.filter(({ id, events }) => (onlyTo ? id === onlyTo : events.includes('*') || events.includes(type)));

/** Notes that nothing more is to be done for an event but what its deliveries tell of themselves. */
export async function settle(deps: Pick<Deps, 'table'>, { accountId, id }: Pick<Event, 'accountId' | 'id'>) {
  const what = { remove: ['duePk', 'dueAt'], when: { duePk: 'present' as const } };
  await unlessOvertaken(deps.table.touch(change(Event, { accountId, id }, what, overtaken)));
}

/**
 * An event's deliveries, one for each endpoint that it goes to, whose first attempts are to be queued. Nothing is stored of
 * them: each comes to be with its first attempt, and for what does not come to be the event itself stays due.
 */
export async function fanOut(deps: Pick<Deps, 'table' | 'now'>, event: Event): Promise<Delivery[]> {
  const to = subscribersOf(event, await deps.table.all(Webhook, webhooksOf(event.accountId)));
  if (to.length === 0) await settle(deps, event);
  return to.map((webhook) => newDelivery(event, webhook, deps.now()));
}

/** Queues deliveries that are to be attempted now. What cannot be queued is found by the reconciler. */
export const queueDeliveries = (deps: { queue: DeliveryQueue }, deliveries: readonly Delivery[]): Promise<void> =>
  deps.queue.send(deliveries.map((delivery) => ({ message: messageOf(delivery), delay: 0 })));
