import { type Item, toItem } from './attributes.ts';
import { changeFields, originFields } from './correlation.ts';
import type { Entity } from './entity.ts';
import { type AnyOf, type Change, type Condition, Expression } from './expressions.ts';
import { dueAttributesOf } from './schedule.ts';

/**
 * One part of a transaction. `onConditionFailed` makes the error that a failed condition means; it is given the stored item
 * where the write asks for it (`ReturnValuesOnConditionCheckFailure`).
 */
export interface Write {
  kind: 'Put' | 'Update' | 'Delete' | 'ConditionCheck';
  input: Record<string, unknown>;
  onConditionFailed: (item?: unknown) => Error;
  /** Makes the error for a conflict with another transaction, where a retry could not succeed. */
  onConflict?: () => Error;
  /** True where the client must not repeat the write if its answer is lost ({@link atMostOnce}). */
  once?: true;
}

/**
 * The write, which is not repeated where its answer is lost, because a repetition would add a second time. It throws then,
 * whether or not it was applied; what repairs that is up to the caller.
 */
export const atMostOnce = (write: Write): Write => ({ ...write, once: true });

const unexpectedConditionFailure = () => new Error('the condition of a write failed that cannot fail');

/** Returns an item's stored attributes apart from its key: indexes, type and values. */
function toAttributes<T, K>(entity: Entity<T, K>, item: T & K): Record<string, unknown> {
  const expiresAtEpoch = entity.expiresAtEpoch?.(item);
  return {
    // An item's own field of this name comes first.
    ...originFields(),
    ...item,
    ...entity.list?.(item),
    ...dueAttributesOf(entity, item),
    ...(expiresAtEpoch === undefined ? {} : { expiresAtEpoch }),
    entity: entity.type,
    entityVersion: entity.version,
  };
}

/** The whole stored item. */
export const toStoredItem = <T, K>(entity: Entity<T, K>, item: T & K): Item =>
  toItem({ ...toAttributes(entity, item), ...entity.key(item) });

/**
 * Puts a new item. `onConditionFailed` makes the error for one that exists already.
 * @param when what must hold of the stored item; by default that there is none
 */
export function create<T, K>(
  entity: Entity<T, K>,
  item: T & K,
  onConditionFailed: () => Error = unexpectedConditionFailure,
  when: Record<string, Condition> = { pk: 'absent' },
): Write {
  const expression = new Expression();
  const ConditionExpression = expression.condition(when);
  return {
    kind: 'Put',
    input: {
      Item: toStoredItem(entity, item),
      // DynamoDB refuses an empty condition.
      ...(ConditionExpression === '' ? {} : { ConditionExpression }),
      ...expression.parts(),
    },
    onConditionFailed,
  };
}

/** The write, whose `onConditionFailed` is given the stored item, parsed; undefined when there is none. No extra round trip. */
const showingItem = <T, K>(entity: Entity<T, K>, write: Write, onConditionFailed: (item?: T) => Error): Write => ({
  ...write,
  input: { ...write.input, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' },
  onConditionFailed: (item) => onConditionFailed(item === undefined ? undefined : entity.parse(item)),
});

/** Puts a new item; `onConditionFailed` is given the one that exists already. */
export const claim = <T, K>(entity: Entity<T, K>, item: T & K, onConditionFailed: (holder?: T) => Error): Write =>
  showingItem(entity, create(entity, item), onConditionFailed);

/**
 * Gives an item new values for all its fields, if the condition holds. Attributes that are no fields of the entity stay: a
 * newer version of the platform may have written them.
 */
export function replace<T, K>(
  entity: Entity<T, K>,
  item: T & K,
  when: Record<string, Condition>,
  onConditionFailed: () => Error,
): Write {
  const set = toAttributes(entity, item);
  const absent = [...entity.fields(), ...INDEX_ATTRIBUTES].filter((name) => set[name] === undefined);
  const expression = new Expression();
  const UpdateExpression = expression.update({ set: withoutUndefined(set), remove: [...new Set(absent)] });
  const ConditionExpression = expression.condition(when);
  const Key = toItem(entity.key(item));
  return {
    kind: 'Update',
    input: { Key, UpdateExpression, ConditionExpression, ...expression.parts() },
    onConditionFailed,
  };
}

/** Attributes by which indexes find an item, the table deletes it, and a sweep remembers its failures. */
const INDEX_ATTRIBUTES = ['listPk', 'listSk', 'duePk', 'dueAt', 'expiresAtEpoch', 'sweepFailure'];
const withoutUndefined = (values: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

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

/** Puts an item as it is stored, unless there is one under its key. */
export const createStored = (item: Item, onConditionFailed: () => Error): Write => ({
  kind: 'Put',
  input: { Item: item, ConditionExpression: 'attribute_not_exists(pk)' },
  onConditionFailed,
});

/** Deletes an item by its key alone; deleting what is not there is no error unless a condition says so. */
export const removeByKey = (
  { pk, sk }: { pk: string; sk: string },
  when?: Record<string, Condition>,
  onConditionFailed?: () => Error,
): Write => removalOf(toItem({ pk, sk }), when, onConditionFailed);

/** Adds the id of the request that changes an item to the values that it sets. */
const withOrigin = (what: Change): Change =>
  changeFields().requestId === undefined ? what : { ...what, set: { ...changeFields(), ...what.set } };

function updateOf(Key: object, what: Change, onConditionFailed: () => Error): Write {
  const expression = new Expression();
  const UpdateExpression = expression.update(withOrigin(what));
  const ConditionExpression = expression.condition({ pk: 'present', ...what.when }, what.whenAny);
  return {
    kind: 'Update',
    input: { Key, UpdateExpression, ConditionExpression, ...expression.parts() },
    onConditionFailed,
  };
}

/** Changes an item as `change` does; `onConditionFailed` is given the item that did not fit. */
export const changeOrInspect = <T, K>(
  entity: Entity<T, K>,
  of: K,
  what: Change,
  onConditionFailed: (item?: T) => Error,
): Write => showingItem(entity, change(entity, of, what), onConditionFailed);

/** Changes an item, making it with its type if it is not there. Conditions must allow for the absent item. */
export function upsert<T, K>(
  entity: Entity<T, K>,
  of: K,
  what: Change,
  onConditionFailed: () => Error = unexpectedConditionFailure,
): Write {
  const expression = new Expression();
  const UpdateExpression = expression.update(withOrigin({ ...what, set: { entity: entity.type, ...what.set } }));
  const ConditionExpression = expression.condition(what.when ?? {}, what.whenAny);
  const Key = toItem(entity.key(of));
  return {
    kind: 'Update',
    input: {
      Key,
      UpdateExpression,
      ...(ConditionExpression ? { ConditionExpression } : {}),
      ...expression.parts(),
    },
    onConditionFailed,
  };
}

/**
 * Makes a new item with nothing but the right to update, which every function has: for the little that may follow from any
 * request. `onConditionFailed` makes the error for one that exists already.
 */
export function createViaUpdate<T, K>(entity: Entity<T, K>, item: T & K, onConditionFailed: () => Error): Write {
  const set = withoutUndefined(toAttributes(entity, item));
  return upsert(entity, item, { set, when: { pk: 'absent' } }, onConditionFailed);
}

/** Deletes an item; deleting what is not there is no error unless a condition says so. */
export function remove<T, K>(
  entity: Entity<T, K>,
  of: K,
  when?: Record<string, Condition>,
  onConditionFailed?: () => Error,
): Write {
  return removalOf(toItem(entity.key(of)), when, onConditionFailed);
}

function removalOf(
  Key: object,
  when: Record<string, Condition> = {},
  onConditionFailed: () => Error = unexpectedConditionFailure,
): Write {
  const expression = new Expression();
  const condition = expression.condition(when);
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

/** Checks an item as `check` does; `onConditionFailed` is given the item that did not fit. */
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
