import type { DeliveryQueue } from '../../providers/webhooks/delivery-queue.ts';
import { Delivery, Event, queuedAt, Webhook, webhooksOf } from '../../table/entities/webhooks.ts';
import { create } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { type DueQueue, sweep } from '../sweep/sweep.ts';
import type { SweepJob } from '../sweep/sweep-all.ts';
import { findSubscribers, newDelivery, queueDeliveries, settleEvent } from './fan-out.ts';
import { appendToFeed } from './feed.ts';

type QueueDeps = Pick<Deps, 'table' | 'now'> & { queue: DeliveryQueue };

/** Stores a delivery of which no attempt is recorded yet, so that it is seen and found again. */
export async function storeDelivery(deps: Pick<Deps, 'table'>, delivery: Delivery): Promise<void> {
  const due = queuedAt(delivery.id, delivery.nextAttemptAt ?? delivery.createdAt);
  await ignoreConflict(deps.table.write(Delivery, create(Delivery, { ...delivery, ...due }, concurrentUpdate)));
}

interface EventDeps extends QueueDeps {
  /** An account's endpoints. */
  webhooks(accountId: string): Promise<Webhook[]>;
}

/**
 * Events of a while ago: those of which a delivery's message was lost, or still waits behind others. What is missing is stored
 * and queued; from then on it is looked after as deliveries are.
 * @returns the number of deliveries that were missing
 */
const eventQueue: DueQueue<typeof Event, EventDeps, number> = {
  queue: 'EVENT#UNSETTLED',
  entity: Event,
  // Events are many: what a hundred of them read travels together (runtime/batch-deps.ts).
  pageSize: 1000,
  concurrency: 100,
  async act(deps, event) {
    const { accountId } = event;
    // Not there yet where the stream lost the event.
    await appendToFeed(deps, [event]);
    const missing = async (webhook: Webhook): Promise<Delivery[]> => {
      const delivery = newDelivery(event, webhook, deps.now());
      return (await deps.table.get(Delivery, { accountId, id: delivery.id })) ? [] : [delivery];
    };
    const late = (await Promise.all(findSubscribers(event, await deps.webhooks(accountId)).map(missing))).flat();
    await Promise.all(late.map((delivery) => storeDelivery(deps, delivery)));
    await queueDeliveries(deps, late);
    await settleEvent(deps, event);
    return late.length;
  },
};

/** Sweeps events; each account's endpoints are read once. */
export const eventJob =
  (deps: QueueDeps): SweepJob<number> =>
  (part) => {
    const webhooks = memoizeByKey((accountId) => deps.table.all(Webhook, webhooksOf(accountId)));
    return sweep({ ...deps, webhooks }, eventQueue, part);
  };

/** Caches the result of `read` for each key. */
function memoizeByKey<T>(read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (key) => {
    const value = known.get(key) ?? read(key);
    known.set(key, value);
    return value;
  };
}
