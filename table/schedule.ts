import { joinKey } from './keys.ts';

/**
 * The due queues of an entity: partitions of the `due` index, sorted by the time at which work on each item is due. An item is in at
 * most one queue, and has the time in its attribute `dueAt`.
 */
export interface DueRule<T, Q extends string> {
  /** The names of the queues. Each is a partition of the index, or the first part of the keys of its shards. New items join the first queue. */
  queues: readonly [Q, ...Q[]];
  /** Returns the time at which a new item is due, in ISO 8601. Default: the item's `dueAt`. */
  at?(item: T): string | undefined;
  /** The number of partitions of each queue, and the partition of an item by its id. Default: one partition. */
  shards?: { count: number; of(id: string): number };
}

/** An entity whose items can be scheduled. */
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
 * Returns the attributes that make an item due at a time.
 * @param at ISO 8601 or a date
 * @param options.queue default: the entity's first queue
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

/** Returns the attributes to remove so that an item is no longer due. */
export function unschedule({ type, due }: Schedulable<string>): readonly ['duePk', 'dueAt'] {
  if (!due) throw new Error(`${type} has no due queue`);
  return ['duePk', 'dueAt'];
}

/** Returns the partitions of the `due` index that hold a queue. */
export const partitionsOf = <Q extends string>({ due }: Schedulable<Q>, queue: Q): string[] =>
  due?.shards ? Array.from({ length: due.shards.count }, (_, shard) => shardKey(queue, shard)) : [queue];

/** Returns the key of a queue's shard. The name of a queue may itself be a joined key. */
const shardKey = (queue: string, shard: number) => `${queue}#${joinKey(String(shard))}`;

/** Returns the due attributes of a new item; undefined if it is not due. */
export function dueAttributesOf<T, Q extends string>(
  entity: { type: string; due?: DueRule<T, Q> | undefined },
  item: T,
): DueAttributes | undefined {
  if (!entity.due) return undefined;
  const { dueAt, id } = item as { dueAt?: string; id?: string };
  const at = entity.due.at ? entity.due.at(item) : dueAt;
  return at === undefined ? undefined : schedule(entity, at, id === undefined ? {} : { id });
}
