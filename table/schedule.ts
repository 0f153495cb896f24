import { joinKey } from './keys.ts';

/**
 * The due queues of an entity: partitions of the `due` index, ordered by the time at which each item needs attention. An item
 * stands in at most one queue, and keeps the time in its attribute `dueAt`.
 */
export interface DueRule<T, Q extends string> {
  /** The queues' names: each is a partition of the index, or the first part of its shards' keys. New items join the first. */
  queues: readonly [Q, ...Q[]];
  /** Returns the time at which a new item is due, in ISO 8601; the item's `dueAt` unless given. */
  at?(item: T): string | undefined;
  /** Number of partitions that each queue is spread over, and an item's own, by its id. One partition unless given. */
  shards?: { count: number; of(id: string): number };
}

/** An entity whose items are found by the time at which they are due. */
interface Schedulable<Q extends string> {
  type: string;
  due?: Pick<DueRule<never, Q>, 'queues' | 'shards'> | undefined;
}

/** The names of an entity's due queues. */
export type QueueOf<E> = E extends { due?: { queues: readonly (infer Q extends string)[] } | undefined } ? Q : never;

/** The attributes that place an item in a due queue. */
export type DueAttributes = {
  duePk: string;
  dueAt: string;
};

/**
 * Returns the attributes to set so that an item is due at a time.
 * @param at ISO 8601 or a date
 * @param options.queue the entity's first queue unless given
 * @param options.id the item's id, for queues with shards
 */
export function schedule<Q extends string>(
  { type, due }: Schedulable<Q>,
  at: string | Date,
  { queue = due?.queues[0], id }: { queue?: Q | undefined; id?: string } = {},
): DueAttributes {
  if (!due || queue === undefined) throw new Error(`${type} has no due queue`);
  const dueAt = typeof at === 'string' ? at : at.toISOString();
  if (!due.shards) return { duePk: queue, dueAt };
  if (id === undefined) throw new Error(`the queue ${queue} has shards: scheduling in it takes the item's id`);
  return { duePk: shardKey(queue, due.shards.of(id)), dueAt };
}

/** Returns the attributes to remove so that an item is due no more. */
export function unschedule({ type, due }: Schedulable<string>): readonly ['duePk', 'dueAt'] {
  if (!due) throw new Error(`${type} has no due queue`);
  return ['duePk', 'dueAt'];
}

/** Returns the partitions of the `due` index that hold a queue. */
export const partitionsOf = <Q extends string>({ due }: Schedulable<Q>, queue: Q): string[] =>
  due?.shards ? Array.from({ length: due.shards.count }, (_, shard) => shardKey(queue, shard)) : [queue];

/** Queue names may have several parts, joined already. */
const shardKey = (queue: string, shard: number) => `${queue}#${joinKey(String(shard))}`;

/** Returns the due attributes of a new item; none where it is not due. */
export function dueAttributesOf<T, Q extends string>(
  entity: { type: string; due?: DueRule<T, Q> | undefined },
  item: T,
): DueAttributes | undefined {
  if (!entity.due) return undefined;
  const { dueAt, id } = item as { dueAt?: string; id?: string };
  const at = entity.due.at ? entity.due.at(item) : dueAt;
  return at === undefined ? undefined : schedule(entity, at, id === undefined ? {} : { id });
}
