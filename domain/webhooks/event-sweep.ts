import type { DeliveryQueue } from '../../providers/webhooks/delivery-queue.ts';
import { Delivery, Event, queuedAt, Webhook, webhooksOf } from '../../table/entities/webhooks.ts';
import { joinTransactions } from '../../table/joint-transactions.ts';
import type { Table } from '../../table/table.ts';
import { create, type Write } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { type DueQueue, sweep } from '../sweep/sweep.ts';
import { type SweepJob, sweepOnce } from '../sweep/sweep-all.ts';
import { timestampBefore } from '../time.ts';
import {
  findSubscribers,
  firstMessages,
  newDelivery,
  queueAttempts,
  queueDeliveries,
  settleEvent,
  settlingOf,
} from './fan-out.ts';
import { joinAppends } from './feed.ts';

type QueueDeps = Pick<Deps, 'table' | 'now'> & { queue: DeliveryQueue };

/** Returns the write that stores a delivery without a recorded attempt, so that it is visible and the delivery sweep finds it. */
function storeWrite(delivery: Delivery): Write {
  const due = queuedAt(delivery.id, delivery.nextAttemptAt ?? delivery.createdAt);
  return create(Delivery, { ...delivery, ...due }, concurrentUpdate);
}

/** Stores a delivery without a recorded attempt, unless it is stored already. */
export async function storeDelivery(deps: Pick<Deps, 'table'>, delivery: Delivery): Promise<void> {
  await ignoreConflict(deps.table.write(Delivery, storeWrite(delivery)));
}

interface EventDeps extends QueueDeps {
  /** Reads an account's endpoints. */
  webhooks(accountId: string): Promise<Webhook[]>;
  /** Commits the writes of an event, batched with those of other events. */
  commit: Table['transact'];
  /** Appends an event to its account's feed, batched with other events of the account. */
  append(event: Event): Promise<void>;
}

/** Stores the missing deliveries of an event and settles it. Another writer may have done any of these writes before. */
async function storeMissing(deps: EventDeps, event: Event, missing: readonly Delivery[]): Promise<void> {
  const committed = deps.commit([...missing.map(storeWrite), settlingOf(event)]).then(() => true);
  if (await ignoreConflict(committed)) return;
  await Promise.all(missing.map((delivery) => storeDelivery(deps, delivery)));
  await settleEvent(deps, event);
}

/** Events are many: the reads, writes and messages of a thousand events are batched (docs/decisions/0075-throughput.md). */
const EVENTS = { queue: 'EVENT#UNSETTLED', entity: Event, pageSize: 1000, concurrency: 1000 } as const;
/**
 * Age after which an unsettled event's deliveries are stored, in milliseconds: much longer than a message waits in its queue if the
 * receivers are not slow.
 */
const STORE_AFTER_MS = 15 * 60_000;

/** Returns the endpoints that an event goes to, and its deliveries that are not stored. */
async function findMissing(deps: EventDeps, event: Event) {
  const { accountId } = event;
  const subscribers = findSubscribers(event, await deps.webhooks(accountId));
  const deliveries = subscribers.map((webhook) => newDelivery(event, webhook, deps.now()));
  const stored = await Promise.all(deliveries.map(({ id }) => deps.table.get(Delivery, { accountId, id })));
  return { subscribers, missing: deliveries.filter((_, index) => !stored[index]) };
}

/**
 * Queues the missing deliveries of unsettled events again, once per event, as the stream does. This costs no write, and the first
 * attempts settle the event. Deliveries to slow endpoints are left to {@link lostEvents}: they probably wait in the slow lane.
 * @returns the number of deliveries that were queued
 */
const lateEvents: DueQueue<typeof Event, EventDeps, number> = {
  ...EVENTS,
  async act(deps, event) {
    // Missing from the feed if the stream lost the event.
    await deps.append(event);
    const { subscribers, missing } = await findMissing(deps, event);
    if (missing.length === 0) {
      await ignoreConflict(deps.commit([settlingOf(event)]));
      return 0;
    }
    const ids = new Set(missing.map(({ id }) => id));
    // By now the event is in the feed, if the account has one.
    const messages = firstMessages(event, subscribers, false, deps.now()).filter(
      ({ deliveryId, slow }) => ids.has(deliveryId) && !slow,
    );
    await queueAttempts(deps, messages);
    return messages.length;
  },
};

/**
 * Stores and queues the missing deliveries of events that are still unsettled long after they were queued again. From then on the
 * delivery sweep covers these deliveries.
 * @returns the number of deliveries that were missing
 */
const lostEvents: DueQueue<typeof Event, EventDeps, number> = {
  ...EVENTS,
  // Events wait here by design, until their deliveries settle them.
  isBacklog: true,
  async act(deps, event) {
    await deps.append(event);
    const { missing } = await findMissing(deps, event);
    // The event may be settled before its deliveries are queued: the delivery sweep finds stored deliveries (delivery-sweep.ts).
    await storeMissing(deps, event, missing);
    await queueDeliveries(deps, missing);
    return missing.length;
  },
};

/** Returns the dependencies of one sweep of events. It reads each account's endpoints once. */
const eventDeps = (deps: QueueDeps): EventDeps => ({
  ...deps,
  webhooks: memoizeByKey((accountId) => deps.table.all(Webhook, webhooksOf(accountId))),
  commit: joinTransactions(deps.table.transact),
  append: joinAppends(deps),
});

/** Returns the job that sweeps late events, each event once. */
const sweepLateEvents =
  (deps: QueueDeps): SweepJob<number> =>
  (part) =>
    sweepOnce(eventDeps(deps), lateEvents, 'events', part);

/** Returns the job that sweeps events that are still unsettled after {@link STORE_AFTER_MS}. */
const sweepLostEvents =
  (deps: QueueDeps): SweepJob<number> =>
  (part) =>
    sweep(eventDeps(deps), lostEvents, {
      ...part,
      until: timestampBefore(deps.now(), STORE_AFTER_MS),
    });

/** The sweeps that deliver an event even if a stream record or a message was lost. */
export const eventSweeps = (deps: QueueDeps) => ({ events: sweepLateEvents(deps), lostEvents: sweepLostEvents(deps) });

/** Caches the result of `read` for each key. */
function memoizeByKey<T>(read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (key) => {
    const value = known.get(key) ?? read(key);
    known.set(key, value);
    return value;
  };
}
