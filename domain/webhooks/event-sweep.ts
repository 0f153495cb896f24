import type { DeliveryQueue } from '../../providers/webhooks/delivery-queue.ts';
import { Delivery, Event, queuedAt, Webhook, webhooksOf } from '../../table/entities/webhooks.ts';
import { joinTransactions } from '../../table/joint-transactions.ts';
import type { Table } from '../../table/table.ts';
import { create, type Write } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { type DueQueue, sweep } from '../sweep/sweep.ts';
import type { SweepJob } from '../sweep/sweep-all.ts';
import { findSubscribers, newDelivery, queueDeliveries, settleEvent, settlingOf } from './fan-out.ts';
import { appendToFeed } from './feed.ts';

type QueueDeps = Pick<Deps, 'table' | 'now'> & { queue: DeliveryQueue };

/** Returns the write that stores a delivery of which no attempt is recorded yet, so that it is seen and found again. */
function storing(delivery: Delivery): Write {
  const due = queuedAt(delivery.id, delivery.nextAttemptAt ?? delivery.createdAt);
  return create(Delivery, { ...delivery, ...due }, concurrentUpdate);
}

/** Stores a delivery of which no attempt is recorded yet. */
export async function storeDelivery(deps: Pick<Deps, 'table'>, delivery: Delivery): Promise<void> {
  await ignoreConflict(deps.table.write(Delivery, storing(delivery)));
}

interface EventDeps extends QueueDeps {
  /** An account's endpoints. */
  webhooks(accountId: string): Promise<Webhook[]>;
  /** Commits what is to be written for an event, together with that of others. */
  commit: Table['transact'];
}

/** Stores what is missing of an event and settles it. Another writer may have been first in any of it. */
async function storeMissing(deps: EventDeps, event: Event, missing: readonly Delivery[]): Promise<void> {
  const committed = deps.commit([...missing.map(storing), settlingOf(event)]).then(() => true);
  if (await ignoreConflict(committed)) return;
  await Promise.all(missing.map((delivery) => storeDelivery(deps, delivery)));
  await settleEvent(deps, event);
}

/**
 * Events of a while ago: those of which a delivery's message was lost, or still waits behind others. What is missing is stored
 * and queued; from then on it is looked after as deliveries are.
 * @returns the number of deliveries that were missing
 */
const eventQueue: DueQueue<typeof Event, EventDeps, number> = {
  queue: 'EVENT#UNSETTLED',
  entity: Event,
  // Events are many: what a thousand of them read, write and send travels together (docs/decisions/0075-throughput.md).
  pageSize: 1000,
  concurrency: 1000,
  async act(deps, event) {
    const { accountId } = event;
    // Not there yet where the stream lost the event.
    await appendToFeed(deps, [event]);
    const missing = async (webhook: Webhook): Promise<Delivery[]> => {
      const delivery = newDelivery(event, webhook, deps.now());
      return (await deps.table.get(Delivery, { accountId, id: delivery.id })) ? [] : [delivery];
    };
    const late = (await Promise.all(findSubscribers(event, await deps.webhooks(accountId)).map(missing))).flat();
    // Settled before its deliveries are queued: those that are stored are found again by themselves (delivery-sweep.ts).
    await storeMissing(deps, event, late);
    await queueDeliveries(deps, late);
    return late.length;
  },
};

/** Sweeps events; each account's endpoints are read once. */
export const eventJob =
  (deps: QueueDeps): SweepJob<number> =>
  (part) => {
    const webhooks = memoizeByKey((accountId) => deps.table.all(Webhook, webhooksOf(accountId)));
    const commit = joinTransactions(deps.table.transact);
    return sweep({ ...deps, webhooks, commit }, eventQueue, part);
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
