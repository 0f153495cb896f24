import type { Charge } from '../../test/support/capacity.ts';
import { ENTITIES } from '../../test/support/entities.ts';
import { OPERATIONS, type OperationName } from './operations.ts';

/** Repetitions of an operation; the result is their average. */
const REPEATS = 64;

/** Scope of a partition key: it is shared by all accounts, by the applications of a cell, by one account, or by the requests for one item. */
export type Scope = 'platform' | 'cell' | 'account' | 'item';

/** Capacity that one operation uses on one kind of partition key. */
export interface Heat {
  operation: OperationName;
  /** The key without its ids: `due DELIVERY#QUEUED#{shard}`. */
  key: string;
  scope: Scope;
  /** Number of partitions over which the key's items are spread. */
  shards: number;
  /** Units of one operation, summed over all shards. */
  writeUnits: number;
  readUnits: number;
}

/** Number of partitions of each due queue. */
const SHARDS = new Map(
  [...ENTITIES.values()].flatMap(({ due }) => (due?.queues ?? []).map((queue) => [queue, due?.shards?.count ?? 1])),
);

/** Matches the variable parts of keys, except years: ids, hashes, dates, counters and names that customers choose. */
const ID = /^([a-z]{2,5}_[0-9a-z_-]+|[0-9a-f]{64}|\d{4}-\d\d.*|\d{1,3}|.*[./].*)$/;

/** Replaces the ids in a partition key by placeholders. */
function patternOf(physical: string): Pick<Heat, 'key' | 'scope' | 'shards'> {
  const [, index = '', value = ''] = /^((?:list|order|due) )?(.*)$/.exec(physical) ?? [];
  const queue = value.split('#').slice(0, -1).join('#');
  const shards = index === 'due ' ? (SHARDS.get(queue) ?? 1) : 1;
  if (shards > 1) return { key: `${index}${queue}#{shard}`, scope: 'platform', shards };
  const nameOf = (part: string, at: number, parts: readonly string[]) => {
    if (parts[at - 1] === 'CELL') return '{cell}';
    if (part.startsWith('acc_')) return '{account}';
    return ID.test(part) ? '{id}' : part.replace(/^\d{4}$/, '{year}');
  };
  const parts = value.split('#').map(nameOf);
  if (parts.includes('{cell}')) return { key: index + parts.join('#'), scope: 'cell', shards };
  const scope = parts.includes('{id}') ? 'item' : parts.includes('{account}') ? 'account' : 'platform';
  return { key: index + parts.join('#'), scope, shards };
}

/** True for a charge of a sweep: sweeps read empty partitions every minute, regardless of customers. */
const isSweep = ({ kind, key }: Charge) => (kind === 'read' && key.startsWith('due ')) || key.startsWith('SWEEP#');

/** Runs an operation repeatedly. Returns the average capacity of one operation by partition key, the hottest key first. */
export async function measure(operation: OperationName): Promise<Heat[]> {
  const workload = await OPERATIONS[operation]();
  const before = workload.memory.charges.length;
  await workload.repeat(REPEATS);
  const byKey = new Map<string, Heat>();
  for (const charge of workload.memory.charges.slice(before)) {
    if (isSweep(charge)) continue;
    const pattern = patternOf(charge.key);
    const heat = byKey.get(pattern.key) ?? { operation, ...pattern, writeUnits: 0, readUnits: 0 };
    heat[charge.kind === 'write' ? 'writeUnits' : 'readUnits'] += charge.units / REPEATS;
    byKey.set(pattern.key, heat);
  }
  return [...byKey.values()].sort((a, b) => b.writeUnits - a.writeUnits || (a.key < b.key ? -1 : 1));
}

/** Measures the capacity of every operation by partition key. */
export async function measureAll(): Promise<Heat[]> {
  const all: Heat[] = [];
  for (const operation of Object.keys(OPERATIONS) as OperationName[]) all.push(...(await measure(operation)));
  return all;
}
