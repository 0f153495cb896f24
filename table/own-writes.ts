import { isDeepStrictEqual } from 'node:util';
import { memberOf } from '../contract/json.ts';
import { fromItem, type Item, toItem } from './attributes.ts';
import type { Write } from './writes.ts';

/** Returns the value at an attribute path such as `task.since`. */
const valueAt = (item: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => memberOf(value, name), item);

/** Returns true if two values are stored as the same attribute. */
const isStoredAs = (value: unknown, stored: unknown): boolean =>
  isDeepStrictEqual(fromItem(toItem({ value })).value, stored);

/** Returns true if a change of the attribute at one path changes the one at the other. */
const overlap = (one: string, other: string): boolean =>
  one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);

/**
 * Returns true if an item is as a write leaves it, so that the write itself has made its condition fail: an earlier attempt was applied
 * and its response lost. A transaction has a token for this, a single write does not.
 *
 * The writes of concurrent callers differ in a time, a version or a holder. An update counts as not applied if its condition names nothing
 * that it sets or removes, for example if it only adds to what its condition names: a sum does not show who has added to it.
 * @param stored the item whose condition failed; undefined if there is none
 */
export function isOwnResult({ kind, input, changes }: Write, stored: Item | undefined): boolean {
  if (kind === 'Delete') return stored === undefined;
  if (!stored) return false;
  const item = fromItem(stored);
  const set = changes ? (changes.set ?? {}) : fromItem(input.Item as Item);
  const removed = changes?.remove ?? [];
  const { when = {} } = changes ?? {};
  const changed = [...Object.keys(set), ...removed];
  const decides = (condition: string) => changed.some((path) => overlap(path, condition));
  if (changes && when.pk !== 'absent' && !Object.keys(when).some(decides)) return false;
  return (
    Object.entries(set).every(([path, value]) => isStoredAs(value, valueAt(item, path))) &&
    removed.every((path) => valueAt(item, path) === undefined)
  );
}
