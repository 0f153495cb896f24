import { DELAY_MOST, type DeliveryQueue } from '../providers/webhooks/delivery-queue.ts';
import { Delivery, deliveryShard, queuedFor, Sweep } from '../table/entities/webhooks.ts';
import { GRACE, SHARDS } from '../table/event-entities.ts';
import { splitKey } from '../table/keys.ts';
import type { Due } from '../table/table.ts';
import { change, upsert } from '../table/writes.ts';
import type { Deps } from './deps.ts';
import { messageOf } from './fan-out.ts';
import { overtaken, unlessOvertaken } from './overtaken.ts';

type SweepDeps = Pick<Deps, 'table' | 'now'> & { queue: DeliveryQueue };

export interface Swept {
  /** Attempts far off that were queued because their time comes near. */
  queued: number;
  /** Attempts whose message was lost, or is very late, that were queued again. */
  overdue: number;
  /** By how much the latest of them is late, in milliseconds. */
  oldestMs: number;
}

/** How many of each shard one run takes. */
const BATCH = 500;
/** How many items are read at once. */
const PARALLEL = 20;
/** What falls due within this is queued, in milliseconds: less than a message can wait, by more than the minute between runs. */
const HORIZON = (DELAY_MOST - 60) * 1000;

const iso = (time: number) => new Date(time).toISOString();

interface Found {
  due: Due;
  delivery: Delivery;
}

/** Those of the found keys that are deliveries still to be attempted (the index is some milliseconds behind). */
async function pendingOf(deps: SweepDeps, dues: readonly Due[]): Promise<Found[]> {
  const found: Found[] = [];
  for (let from = 0; from < dues.length; from += PARALLEL) {
    const read = await Promise.all(
      dues.slice(from, from + PARALLEL).map(async (due) => {
        const [, accountId = '', , id = ''] = splitKey(due.pk);
        return { due, delivery: await deps.table.get(Delivery, { accountId, id }) };
      }),
    );
    for (const { due, delivery } of read) if (delivery?.status === 'PENDING') found.push({ due, delivery });
  }
  return found;
}

/** Queues them, each with what is left of its time. */
async function queue(deps: SweepDeps, found: readonly Found[]): Promise<void> {
  const now = deps.now().getTime();
  await deps.queue.send(
    found.map(({ delivery }) => ({
      message: messageOf(delivery),
      delay: Math.max(0, (Date.parse(delivery.nextAttemptAt ?? '') - now) / 1000 || 0),
    })),
  );
}

/**
 * Queues the attempts that come near, each once: how far it has come is remembered for all of them together, so that
 * handing one over costs no write.
 */
async function queueNear(deps: SweepDeps): Promise<number> {
  const name = 'deliveries';
  const horizon = iso(deps.now().getTime() + HORIZON);
  const sweep = await deps.table.get(Sweep, { name });
  const shards = await Promise.all(
    SHARDS.map((shard) => deps.table.due(deliveryShard('WAITING', shard), horizon, BATCH, sweep?.upTo)),
  );
  const found = await pendingOf(deps, shards.flat());
  await queue(deps, found);
  // A full shard may have more behind its last: the next run begins there, and for the others a little early.
  const upTo = shards.reduce((least, dues) => {
    const last = dues.length === BATCH ? dues.at(-1)?.dueAt : undefined;
    return last !== undefined && last < least ? last : least;
  }, horizon);
  await deps.table.write(Sweep, upsert(Sweep, { name }, { set: { name, upTo } }));
  return found.length;
}

/** Queues again what should have been attempted long since; each time it waits twice as long for the next such rescue. */
async function queueOverdue(deps: SweepDeps): Promise<{ overdue: number; oldestMs: number }> {
  const now = deps.now().getTime();
  const dues = await Promise.all(
    SHARDS.flatMap((shard) => [
      deps.table.due(deliveryShard('QUEUED', shard), iso(now), BATCH),
      deps.table.due(deliveryShard('WAITING', shard), iso(now - GRACE), BATCH),
    ]),
  );
  const found = await pendingOf(deps, dues.flat());
  await queue(deps, found);
  let oldestMs = 0;
  for (const { due, delivery } of found) {
    const late = now - Date.parse(delivery.nextAttemptAt ?? iso(now));
    oldestMs = Math.max(oldestMs, late);
    const { accountId, id, serial } = delivery;
    const set = queuedFor(id, iso(now), GRACE + late);
    const when = { serial: { is: serial }, dueAt: { is: due.dueAt } };
    await unlessOvertaken(deps.table.write(Delivery, change(Delivery, { accountId, id }, { set, when }, overtaken)));
  }
  return { overdue: found.length, oldestMs };
}

/** Every minute: queues deliveries whose next attempt comes near, and those whose message was lost. */
export async function reconcileDeliveries(deps: SweepDeps): Promise<Swept> {
  const queued = await queueNear(deps);
  return { queued, ...(await queueOverdue(deps)) };
}
