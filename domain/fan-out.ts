import { createHash } from 'node:crypto';
import { EVENTS } from '../contract/events.ts';
import type { DeliveryMessage, DeliveryQueue } from '../providers/delivery-queue.ts';
import type { Event } from '../table/entities.ts';
import { Delivery, Webhook, webhooksOf } from '../table/webhook-entities.ts';
import { create } from '../table/writes.ts';
import type { Deps } from './deps.ts';

/** The same event to the same endpoint is the same delivery, however often the stream tells of it. */
export const deliveryId = (eventId: string, webhookId: string): string =>
  `dlv_${createHash('sha256').update(`${eventId} ${webhookId}`).digest('hex').slice(0, 32)}`;

/** The bytes that every receiver of an event gets at every attempt (specification, Request format). */
export function bodyOf({ id, type, created, data }: Event): string {
  // Parsed, so that the fields stand in the contract's order: the table keeps none.
  return JSON.stringify({ id, type, created, data: EVENTS[type]().parse(data) });
}

export const messageOf = ({ accountId, webhookId, id, serial }: Delivery): DeliveryMessage => ({
  accountId,
  webhookId,
  deliveryId: id,
  serial,
});

/** An event's deliveries: one for each endpoint that subscribes to it now. To a disabled one it is skipped, visibly. */
export async function deliveriesOfEvent(deps: Pick<Deps, 'table' | 'now'>, event: Event): Promise<Delivery[]> {
  const { accountId, id: eventId, type, onlyTo } = event;
  const webhooks = await deps.table.all(Webhook, webhooksOf(accountId));
  const createdAt = deps.now().toISOString();
  const body = bodyOf(event);
  return webhooks
    .filter(({ id, events }) => (onlyTo ? id === onlyTo : events.includes('*') || events.includes(type)))
    .map(({ id: webhookId, active }) => ({
      ...{ id: deliveryId(eventId, webhookId), accountId, webhookId, eventId, type, body, createdAt },
      status: active ? 'PENDING' : 'SKIPPED',
      nextAttemptAt: active ? createdAt : null,
      ...{ attempts: [], serial: 0, tries: 0 },
    }));
}

class Repeated extends Error {}

/** Stores a delivery. @returns it if it is new and to be queued; of a repeat, the first one took care of that */
export async function storeDelivery(deps: Pick<Deps, 'table'>, delivery: Delivery): Promise<Delivery | undefined> {
  try {
    await deps.table.write(
      Delivery,
      create(Delivery, delivery, () => new Repeated()),
    );
    return delivery.status === 'PENDING' ? delivery : undefined;
  } catch (error) {
    if (error instanceof Repeated) return undefined;
    throw error;
  }
}

/** Queues deliveries that are to be attempted now. What cannot be queued is found by the reconciler. */
export const queueDeliveries = (deps: { queue: DeliveryQueue }, deliveries: readonly Delivery[]): Promise<void> =>
  deps.queue.send(deliveries.map((delivery) => ({ message: messageOf(delivery), delay: 0 })));
