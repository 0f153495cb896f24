import type { DeliveryQueue } from '../providers/webhooks/delivery-queue.ts';
import { Delivery, queuedFor, Webhook, webhooksOf } from '../table/entities/webhooks.ts';
import { Event, SHARDS, unsettled } from '../table/event-entities.ts';
import { splitKey } from '../table/keys.ts';
import { create } from '../table/writes.ts';
import type { Deps } from './deps.ts';
import { newDelivery, queueDeliveries, settle, subscribersOf } from './fan-out.ts';
import { overtaken, unlessOvertaken } from './overtaken.ts';

type SweepDeps = Pick<Deps, 'table' | 'now'> & { queue: DeliveryQueue };

export interface SettledEvents {
  settled: number;
  /** Deliveries that were missing. */
  late: number;
}

/** How many of each shard one run takes. */
const BATCH = 1000;
/** How many events are looked at at once. */
const PARALLEL = 20;

/** Stores a delivery of which no attempt is recorded yet, so that it is seen and found again. */
export async function storeDelivery(deps: Pick<Deps, 'table'>, delivery: Delivery): Promise<void> {
  const due = queuedFor(delivery.id, delivery.nextAttemptAt ?? delivery.createdAt);
  await unlessOvertaken(deps.table.write(Delivery, create(Delivery, { ...delivery, ...due }, overtaken)));
}

type WebhooksOf = (accountId: string) => Promise<Webhook[]>;

/** Brings what is missing of an event on its way. @returns how many deliveries that were */
async function settleOne(deps: SweepDeps, webhooks: WebhooksOf, accountId: string, id: string): Promise<number> {
  const event = await deps.table.get(Event, { accountId, id });
  if (!event) return 0;
  const missing = async (webhook: Webhook): Promise<Delivery[]> => {
    // One that was registered after the event does not get it.
    if (webhook.createdAt > event.created) return [];
    const delivery = newDelivery(event, webhook, deps.now());
    return (await deps.table.get(Delivery, { accountId, id: delivery.id })) ? [] : [delivery];
  };
  const late = (await Promise.all(subscribersOf(event, await webhooks(accountId)).map(missing))).flat();
  await Promise.all(late.map((delivery) => storeDelivery(deps, delivery)));
  await queueDeliveries(deps, late);
  await settle(deps, event);
  return late.length;
}

/** What `read` gives, read once for each key. */
function readOnce<T>(read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (key) => {
    const value = known.get(key) ?? read(key);
    known.set(key, value);
    return value;
  };
}

/**
 * Every minute: sees that the events of a while ago have reached their deliveries. Those whose message was lost, or still
 * waits behind others, are stored now and queued: from then on they are looked after as deliveries.
 *
 * Throws if any event could not be looked at, once all others were.
 */
export async function reconcileEvents(deps: SweepDeps): Promise<SettledEvents> {
  const until = deps.now().toISOString();
  const dues = (await Promise.all(SHARDS.map((shard) => deps.table.due(unsettled(shard), until, BATCH)))).flat();
  const webhooks = readOnce((accountId) => deps.table.all(Webhook, webhooksOf(accountId)));
  const done: PromiseSettledResult<number>[] = [];
  for (let from = 0; from < dues.length; from += PARALLEL) {
    const some = dues.slice(from, from + PARALLEL).map(({ pk }) => {
      const [, accountId = '', , id = ''] = splitKey(pk);
      return settleOne(deps, webhooks, accountId, id);
    });
    done.push(...(await Promise.allSettled(some)));
  }
  const failed = done.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  if (failed.length > 0) throw new AggregateError(failed, `${failed.length} of ${dues.length} events are not settled`);
  return {
    settled: dues.length,
    late: done.reduce((sum, each) => sum + (each.status === 'fulfilled' ? each.value : 0), 0),
  };
}
