import { toItem } from './attributes.ts';
import type { Entity } from './entity.ts';
import { dueAttributesOf } from './schedule.ts';

/** A condition on an attribute. Expression strings exist in this file and table/table.ts only. */
export type Condition =
  | 'present'
  | 'absent'
  | { is: string | number | boolean | null }
  | { isNot: string | number | boolean }
  | { oneOf: readonly string[] }
  | { below: number | { attribute: string } }
  | { absentOrBelow: number }
  | { atLeast: number }
  | { sizeBelow: number | { attribute: string } };

/** Conditions of which one must hold: each is a set of conditions that hold together. */
export type AnyOf = readonly Record<string, Condition>[];

/** The change to one item. Attribute paths may be nested: `plan.appLimit`. */
export interface Change {
  set?: Record<string, unknown>;
  /** Sets what is not there yet. */
  setOnce?: Record<string, unknown>;
  /** Adds to a number; an absent one counts as 0. */
  add?: Record<string, number>;
  /** Appends to a list; an absent one counts as empty. */
  append?: Record<string, unknown[]>;
  remove?: readonly string[];
  when?: Record<string, Condition>;
  /** Of each of these, one must hold as well. */
  whenAny?: readonly AnyOf[];
}

/**
 * One part of a transaction. `lost` makes the error that losing its condition means; it is shown the item as it is where
 * the write says `showLost`.
 */
export interface Write {
  kind: 'Put' | 'Update' | 'Delete' | 'ConditionCheck';
  input: Record<string, unknown>;
  onConditionFailed: (item?: unknown) => Error;
  /** Makes the error for a conflict with another transaction, where a retry could not succeed. */
  onConflict?: () => Error;
}

const aliases = new Map<string, string>();
/** The alias of an attribute whose name is one plain word: there are not many, and each stands in every request. */
function plainAlias(path: string): string | undefined {
  const known = aliases.get(path);
  if (known !== undefined || !/^[A-Za-z]+$/.test(path)) return known;
  aliases.set(path, `#${path}`);
  return `#${path}`;
}

/** Collects names and values while an expression is written. */
class Expression {
  readonly names: Record<string, string> = {};
  private readonly values: Record<string, unknown> = {};
  private count = 0;

  name(path: string): string {
    // Nearly all are one plain word.
    const alias = plainAlias(path);
    if (alias !== undefined) {
      this.names[alias] = path;
      return alias;
    }
    return path
      .split('.')
      .map((part) => {
        const alias = `#${part.replace(/\W/g, '_')}`;
        this.names[alias] = part;
        return alias;
      })
      .join('.');
  }

  value(value: unknown): string {
    this.count += 1;
    const alias = `:v${this.count}`;
    this.values[alias] = value;
    return alias;
  }

  /** Returns the condition that all of `when`, and one of each of `whenAny`, hold. */
  condition(when: Record<string, Condition>, whenAny: readonly AnyOf[] = []): string {
    const groups = whenAny.map((any) => `(${any.map((each) => `(${this.condition(each)})`).join(' OR ')})`);
    const operand = (value: number | { attribute: string }) =>
      typeof value === 'number' ? this.value(value) : this.name(value.attribute);
    const all = Object.entries(when).map(([path, must]) => {
      const name = this.name(path);
      if (must === 'present') return `attribute_exists(${name})`;
      if (must === 'absent') return `attribute_not_exists(${name})`;
      if ('is' in must) return `${name} = ${this.value(must.is)}`;
      if ('isNot' in must) return `${name} <> ${this.value(must.isNot)}`;
      if ('oneOf' in must) return `${name} IN (${must.oneOf.map((one) => this.value(one)).join(', ')})`;
      if ('absentOrBelow' in must)
        return `(attribute_not_exists(${name}) OR ${name} < ${this.value(must.absentOrBelow)})`;
      if ('atLeast' in must) return `${name} >= ${this.value(must.atLeast)}`;
      if ('sizeBelow' in must) return `size(${name}) < ${operand(must.sizeBelow)}`;
      return `${name} < ${operand(must.below)}`;
    });
    return [...all, ...groups].join(' AND ');
  }

  update({ set = {}, setOnce = {}, add = {}, append = {}, remove = [] }: Change): string {
    const sets = [
      ...Object.entries(set).map(([path, value]) => `${this.name(path)} = ${this.value(value)}`),
      ...Object.entries(setOnce).map(([path, value]) => {
        const name = this.name(path);
        return `${name} = if_not_exists(${name}, ${this.value(value)})`;
      }),
      ...Object.entries(append).map(([path, value]) => {
        const name = this.name(path);
        return `${name} = list_append(if_not_exists(${name}, ${this.value([])}), ${this.value(value)})`;
      }),
    ];
    const adds = Object.entries(add).map(([path, value]) => `${this.name(path)} ${this.value(value)}`);
    return [
      sets.length > 0 ? `SET ${sets.join(', ')}` : '',
      adds.length > 0 ? `ADD ${adds.join(', ')}` : '',
      remove.length > 0 ? `REMOVE ${remove.map((path) => this.name(path)).join(', ')}` : '',
    ]
      .filter(Boolean)
      .join(' ');
  }

  parts(): Record<string, unknown> {
    return {
      ...(Object.keys(this.names).length > 0 ? { ExpressionAttributeNames: this.names } : {}),
      ...(Object.keys(this.values).length > 0 ? { ExpressionAttributeValues: toItem(this.values) } : {}),
    };
  }
}

const unexpectedConditionFailure = () => new Error('a write that cannot lose its condition lost it');

/** Returns an item's stored attributes apart from its key: indexes, type and values. */
function toAttributes<T, K>(entity: Entity<T, K>, item: T & K): Record<string, unknown> {
  const expiresAtEpoch = entity.expiresAtEpoch?.(item);
  return {
    ...item,
    ...entity.list?.(item),
    ...dueAttributesOf(entity, item),
    ...(expiresAtEpoch === undefined ? {} : { expiresAtEpoch }),
    entity: entity.type,
  };
}

/** The whole stored item. */
export const toStoredItem = <T, K>(entity: Entity<T, K>, item: T & K): Record<string, unknown> =>
  toItem({ ...toAttributes(entity, item), ...entity.key(item) });

/** Puts a new item; `lost` is thrown when it exists already. */
export function create<T, K>(
  entity: Entity<T, K>,
  item: T & K,
  onConditionFailed: () => Error = unexpectedConditionFailure,
): Write {
  const expression = new Expression();
  const ConditionExpression = expression.condition({ pk: 'absent' });
  return {
    kind: 'Put',
    input: { Item: toStoredItem(entity, item), ConditionExpression, ...expression.parts() },
    onConditionFailed,
  };
}

/** The write, whose `lost` is shown the item that was in its way, parsed; undefined when there is none. No round trip more. */
const showingItem = <T, K>(entity: Entity<T, K>, write: Write, onConditionFailed: (item?: T) => Error): Write => ({
  ...write,
  input: { ...write.input, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' },
  onConditionFailed: (item) => onConditionFailed(item === undefined ? undefined : entity.parse(item)),
});

/** Puts a new item; `lost` is shown who has it already. */
export const claim = <T, K>(entity: Entity<T, K>, item: T & K, onConditionFailed: (holder?: T) => Error): Write =>
  showingItem(entity, create(entity, item), onConditionFailed);

/** Puts an item over the one that is there, if the condition holds. */
export function replace<T, K>(
  entity: Entity<T, K>,
  item: T & K,
  when: Record<string, Condition>,
  onConditionFailed: () => Error,
): Write {
  const expression = new Expression();
  const ConditionExpression = expression.condition(when);
  return {
    kind: 'Put',
    input: { Item: toStoredItem(entity, item), ConditionExpression, ...expression.parts() },
    onConditionFailed,
  };
}

/** Changes an existing item. Index attributes (`listPk`, `dueAt`, …) are attributes like any other here. */
export const change = <T, K>(
  entity: Entity<T, K>,
  of: K,
  what: Change,
  onConditionFailed: () => Error = unexpectedConditionFailure,
): Write => updateOf(toItem(entity.key(of)), what, onConditionFailed);

/** Changes an existing item by its key alone, whatever it holds. For items that may not parse. */
export const changeByKey = (
  { pk, sk }: { pk: string; sk: string },
  what: Change,
  onConditionFailed: () => Error,
): Write => updateOf(toItem({ pk, sk }), what, onConditionFailed);

function updateOf(Key: object, what: Change, onConditionFailed: () => Error): Write {
  const expression = new Expression();
  const UpdateExpression = expression.update(what);
  const ConditionExpression = expression.condition({ pk: 'present', ...what.when }, what.whenAny);
  return {
    kind: 'Update',
    input: { Key, UpdateExpression, ConditionExpression, ...expression.parts() },
    onConditionFailed,
  };
}

/** The same, and `lost` is shown the item that did not fit. */
export const changeOrInspect = <T, K>(
  entity: Entity<T, K>,
  of: K,
  what: Change,
  onConditionFailed: (item?: T) => Error,
): Write => showingItem(entity, change(entity, of, what), onConditionFailed);

/** Changes an item, making it if it is not there. Conditions must allow for the absent item. */
export function upsert<T, K>(
  entity: Entity<T, K>,
  of: K,
  what: Change,
  onConditionFailed: () => Error = unexpectedConditionFailure,
): Write {
  const expression = new Expression();
  const UpdateExpression = expression.update(what);
  const ConditionExpression = expression.condition(what.when ?? {}, what.whenAny);
  const Key = toItem(entity.key(of));
  return {
    kind: 'Update',
    input: {
      ...{ Key, UpdateExpression },
      ...(ConditionExpression ? { ConditionExpression } : {}),
      ...expression.parts(),
    },
    onConditionFailed,
  };
}

/**
 * Makes a new item with nothing but the right to update, which every function has: for the little that may follow from any
 * request. `lost` is thrown when it exists already.
 */
export function createViaUpdate<T, K>(entity: Entity<T, K>, item: T & K, onConditionFailed: () => Error): Write {
  const expression = new Expression();
  const UpdateExpression = expression.update({ set: toAttributes(entity, item) });
  const ConditionExpression = expression.condition({ pk: 'absent' });
  const Key = toItem(entity.key(item));
  return {
    kind: 'Update',
    input: { Key, UpdateExpression, ConditionExpression, ...expression.parts() },
    onConditionFailed,
  };
}

/** Deletes an item; deleting what is not there is no error unless a condition says so. */
export function remove<T, K>(
  entity: Entity<T, K>,
  of: K,
  when: Record<string, Condition> = {},
  onConditionFailed: () => Error = unexpectedConditionFailure,
): Write {
  const expression = new Expression();
  const condition = expression.condition(when);
  const Key = toItem(entity.key(of));
  return {
    kind: 'Delete',
    input: { Key, ...(condition ? { ConditionExpression: condition } : {}), ...expression.parts() },
    onConditionFailed,
  };
}

/** Lets a transaction happen only if there is no such item; `onConditionFailed` is shown the one that there is. */
export const checkAbsent = <T, K>(entity: Entity<T, K>, of: K, onConditionFailed: (item?: T) => Error): Write =>
  showingItem(entity, check(entity, of, { pk: 'absent' }, unexpectedConditionFailure), onConditionFailed);

/** Lets a transaction happen only if another item is as expected. */
export function check<T, K>(
  entity: Entity<T, K>,
  of: K,
  when: Record<string, Condition>,
  onConditionFailed: () => Error,
  whenAny: readonly AnyOf[] = [],
): Write {
  const expression = new Expression();
  const ConditionExpression = expression.condition(when, whenAny);
  const Key = toItem(entity.key(of));
  return { kind: 'ConditionCheck', input: { Key, ConditionExpression, ...expression.parts() }, onConditionFailed };
}

/** The same, and the error is made from the item that did not fit. */
export const checkOrInspect = <T, K>(
  entity: Entity<T, K>,
  of: K,
  what: Pick<Change, 'when' | 'whenAny'>,
  onConditionFailed: (item?: T) => Error,
): Write =>
  showingItem(
    entity,
    check(entity, of, what.when ?? { pk: 'present' }, unexpectedConditionFailure, what.whenAny),
    onConditionFailed,
  );
