import type { Item } from './memory-expressions.ts';

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

/** Items are replaced and never changed, so that the text of each is made once. */
const texts = new WeakMap<Item, string>();

/** Returns an item as JSON; no item as an empty one. */
export function textOf(item: Item | undefined): string {
  if (!item) return '{}';
  const known = texts.get(item);
  if (known !== undefined) return known;
  const text = JSON.stringify(item);
  texts.set(item, text);
  return text;
}

/** Size in bytes. JSON adds some punctuation to DynamoDB's count. */
const bytes = (item: Item | undefined) => textOf(item).length;
const kilobytes = (item: Item | undefined) => Math.ceil(bytes(item) / 1024);

/** An entry added, moved (two) or removed; an index with all attributes changes with every write. */
function indexCharges(index: Index, before: Item | undefined, after: Item | undefined): Charge[] {
  const [pk] = INDEX_KEYS[index];
  const keyIn = (item: Item | undefined) => {
    const values = INDEX_KEYS[index].map((name) => item?.[name]);
    return values.includes(undefined) ? undefined : values.join('\n');
  };
  const units = index === 'list' ? Math.max(kilobytes(before), kilobytes(after)) : 1;
  const at = (item: Item | undefined): Charge[] =>
    keyIn(item) === undefined ? [] : [{ kind: 'write', key: `${index} ${item?.[pk]}`, units }];
  if (keyIn(before) !== keyIn(after)) return [...at(before), ...at(after)];
  return index === 'list' ? at(after) : [];
}

/** @param times 2 in a transaction */
export function writeCharges(times: number, pk: string, before: Item | undefined, after: Item | undefined): Charge[] {
  const own: Charge = { kind: 'write', key: pk, units: times * Math.max(kilobytes(before), kilobytes(after)) };
  return [own, ...(['list', 'order', 'due'] as const).flatMap((index) => indexCharges(index, before, after))];
}

/** A condition that failed costs what the write would have. */
export const refusedCharges = (times: number, pk: string, before: Item | undefined): Charge[] => [
  { kind: 'write', key: pk, units: times * kilobytes(before) },
];

/** @param found the items of one request, whose sizes add up; nothing found counts as the smallest item */
export function readCharge(key: string, found: readonly Item[], isConsistent: boolean): Charge {
  const read = Math.max(1, Math.ceil(found.reduce((sum, item) => sum + bytes(item), 0) / 4096));
  return { kind: 'read', key, units: read * (isConsistent ? 1 : 0.5) };
}

export const unitsOf = (charges: readonly Charge[]): number => charges.reduce((sum, { units }) => sum + units, 0);
