import { readUnits, writeUnits } from '../../local/emulators/dynamodb/requests.ts';
import type { Stored } from '../../local/emulators/dynamodb/storage.ts';

/**
 * Capacity units as DynamoDB counts them on demand, by the physical partition key that they are taken from: a write takes one for each
 * kilobyte (doubled in a transaction), and those of each index that it changes; a read one for each 4 kB, half of it where it is
 * eventually consistent.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
 */
export interface Charge {
  kind: 'read' | 'write';
  /** The partition key's value; in an index, behind the index's name: `due DEPLOYMENT`. */
  key: string;
  units: number;
}

export const INDEX_KEYS = { list: ['listPk', 'listSk'], order: ['listPk', 'listSk'], due: ['duePk', 'dueAt'] } as const;
export type Index = keyof typeof INDEX_KEYS;

/** An entry added, moved (two) or removed; an index with all attributes changes with every write. */
function indexCharges(index: Index, before: Stored | undefined, after: Stored | undefined): Charge[] {
  const keysIn = (stored: Stored | undefined) => INDEX_KEYS[index].flatMap((name) => stored?.item[name]?.S ?? []);
  const [from, to] = [keysIn(before), keysIn(after)];
  const units = index === 'list' ? writeUnits(before?.size ?? 0, after?.size ?? 0) : 1;
  const at = ([pk, sk]: string[]): Charge[] =>
    sk === undefined ? [] : [{ kind: 'write', key: `${index} ${pk}`, units }];
  if (from.join('\n') !== to.join('\n')) return [...at(from), ...at(to)];
  return index === 'list' ? at(to) : [];
}

/** @param times 2 in a transaction */
export function writeCharges(
  times: number,
  pk: string,
  before: Stored | undefined,
  after: Stored | undefined,
): Charge[] {
  const own: Charge = { kind: 'write', key: pk, units: times * writeUnits(before?.size ?? 0, after?.size ?? 0) };
  return [own, ...(['list', 'order', 'due'] as const).flatMap((index) => indexCharges(index, before, after))];
}

/** A condition that failed costs what the write would have. */
export const refusedCharges = (times: number, pk: string, before: Stored | undefined): Charge[] => [
  { kind: 'write', key: pk, units: times * writeUnits(before?.size ?? 0) },
];

/** @param found the items of one request, whose sizes add up; nothing found counts as the smallest item */
export const readCharge = (key: string, found: readonly Stored[], isConsistent: boolean): Charge => ({
  kind: 'read',
  key,
  units: readUnits(
    found.reduce((sum, { size }) => sum + size, 0),
    isConsistent,
  ),
});

export const unitsOf = (charges: readonly Charge[]): number => charges.reduce((sum, { units }) => sum + units, 0);
