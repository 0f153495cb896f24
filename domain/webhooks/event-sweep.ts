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
  /** Gives an event its position in the feed of its account, together with others of that account. */
  append(event: Event): Promise<void>;
}

/** Stores what is missing of an event and settles it. Another writer may have been first in any of it. */
async function storeMissing(deps: EventDeps, event: Event, missing: readonly Delivery[]): Promise<void> {
  const committed = deps.commit([...missing.map(storing), settlingOf(event)]).then(() => true);
  if (await ignoreConflict(committed)) return;
  await Promise.all(missing.map((delivery) => storeDelivery(deps, delivery)));
  await settleEvent(deps, event);
}

/** Events are many: what a thousand of them read, write and send travels together (docs/decisions/0075-throughput.md). */
const EVENTS = { queue: 'EVENT#UNSETTLED', entity: Event, pageSize: 1000, concurrency: 1000 } as const;
/**
 * Time after which an event that was handed over again must have settled, in milliseconds: far more than its message waits
 * where its receivers are not slow.
 */
const STORE_AFTER_MS = 15 * 60_000;

/** Returns the endpoints that an event goes to, and the deliveries of it that are not stored. */
async function findMissing(deps: EventDeps, event: Event) {
  const { accountId } = event;
  const subscribers = findSubscribers(event, await deps.webhooks(accountId));
  const deliveries = subscribers.map((webhook) => newDelivery(event, webhook, deps.now()));
  const stored = await Promise.all(deliveries.map(({ id }) => deps.table.get(Delivery, { accountId, id })));
  return { subscribers, missing: deliveries.filter((_, index) => !stored[index]) };
}

/**
 * Events of a while ago, each once: its missing deliveries are handed over again, as the stream does it. It costs no write, and
 * their first attempts settle the event. A slow endpoint's may well wait in the slow lane: they are left to {@link lostEvents}.
 * @returns the number of deliveries that were handed over
 */
const lateEvents: DueQueue<typeof Event, EventDeps, number> = {
  ...EVENTS,
  async act(deps, event) {
    // Not there yet where the stream lost the event.
    await deps.append(event);
    const { subscribers, missing } = await findMissing(deps, event);
    if (missing.length === 0) {
      await ignoreConflict(deps.commit([settlingOf(event)]));
      return 0;
    }
    const ids = new Set(missing.map(({ id }) => id));
    // It has its place in the feed by now, if there is a feed.
    const messages = firstMessages(event, subscribers, false, deps.now()).filter(
      ({ deliveryId, slow }) => ids.has(deliveryId) && !slow,
    );
    await queueAttempts(deps, messages);
    return messages.length;
  },
};

/**
 * Events that are not settled long after they were handed over again. What is missing is stored and queued; from then on it is
 * looked after as deliveries are.
 * @returns the number of deliveries that were missing
 */
const lostEvents: DueQueue<typeof Event, EventDeps, number> = {
  ...EVENTS,
  // They have waited for their deliveries.
  isBacklog: true,
  async act(deps, event) {
    await deps.append(event);
    const { missing } = await findMissing(deps, event);
    // Settled before its deliveries are queued: those that are stored are found again by themselves (delivery-sweep.ts).
    await storeMissing(deps, event, missing);
    await queueDeliveries(deps, missing);
    return missing.length;
  },
};

/** Adds what a sweep of events needs; each account's endpoints are read once. */
const eventDeps = (deps: QueueDeps): EventDeps => ({
  ...deps,
  webhooks: memoizeByKey((accountId) => deps.table.all(Webhook, webhooksOf(accountId))),
  commit: joinTransactions(deps.table.transact),
  append: joinAppends(deps),
});

/** Sweeps late events, each once. */
const lateJob =
  (deps: QueueDeps): SweepJob<number> =>
  (part) =>
    sweepOnce(eventDeps(deps), lateEvents, 'events', part);

/** Sweeps events that are still not settled. */
const lostJob =
  (deps: QueueDeps): SweepJob<number> =>
  (part) =>
    sweep(eventDeps(deps), lostEvents, {
      ...part,
      until: timestampBefore(deps.now(), STORE_AFTER_MS),
    });

/** The safety net of events: what a lost record of the stream or a lost message would keep from their receivers. */
export const eventSweeps = (deps: QueueDeps) => ({ events: lateJob(deps), lostEvents: lostJob(deps) });

/** Caches the result of `read` for each key. */
function memoizeByKey<T>(read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (key) => {
    const value = known.get(key) ?? read(key);
    known.set(key, value);
    return value;
  };
}
