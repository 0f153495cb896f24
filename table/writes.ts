import { type Item, toItem } from './attributes.ts';
import { changeFields, originFields } from './correlation.ts';
import type { Entity } from './entity.ts';
import { type AnyOf, type Change, type Condition, Expression } from './expressions.ts';
import { dueAttributesOf } from './schedule.ts';

/**
 * A write, alone or as part of a transaction. `onConditionFailed` creates the error for a failed condition. It receives the stored item
 * if the write requests it (`ReturnValuesOnConditionCheckFailure`).
 */
export interface Write {
  kind: 'Put' | 'Update' | 'Delete' | 'ConditionCheck';
  input: Record<string, unknown>;
  onConditionFailed: (item?: unknown) => Error;
  /** The change of an update with its condition, by which its result is recognized (own-writes.ts). */
  changes?: Change | undefined;
  /** Creates the error for a conflict with another transaction, if a retry could not succeed. */
  onConflict?: () => Error;
  /** True if the client must not retry the write when its response is lost ({@link atMostOnce}). */
  once?: true;
}

/**
 * Returns the write without a retry after a lost response, because a retry would add a second time. The write then throws, whether or
 * not it was applied, and the caller must recover from that.
 */
export const atMostOnce = (write: Write): Write => ({ ...write, once: true });

const unexpectedConditionFailure = () => new Error('a condition failed that cannot fail');

interface Expressions {
  changes?: Change;
  when?: Record<string, Condition> | undefined;
  whenAny?: readonly AnyOf[] | undefined;
}

/** Returns a write of an item, given its key or the whole item, with the expressions of its change and its conditions. */
function buildWrite(
  kind: Write['kind'],
  target: { Key: Item } | { Item: Item },
  { changes, when = {}, whenAny }: Expressions,
  onConditionFailed: () => Error = unexpectedConditionFailure,
): Write {
  const expression = new Expression();
  const UpdateExpression = changes && expression.update(changes);
  const ConditionExpression = expression.condition(when, whenAny);
  return {
    kind,
    input: {
      ...target,
      ...(UpdateExpression === undefined ? {} : { UpdateExpression }),
      // DynamoDB refuses an empty condition.
      ...(ConditionExpression === '' ? {} : { ConditionExpression }),
      ...expression.parts(),
    },
    changes: changes && { ...changes, when },
    onConditionFailed,
  };
}

/** Returns the stored attributes of an item except its key: index attributes, type and values. */
function toAttributes<T, K>(entity: Entity<T, K>, item: T & K): Record<string, unknown> {
  const expiresAtEpoch = entity.expiresAtEpoch?.(item);
  return {
    // An item's own `requestId` overrides this one.
    ...originFields(),
    ...item,
    ...entity.list?.(item),
    ...dueAttributesOf(entity, item),
    ...(expiresAtEpoch === undefined ? {} : { expiresAtEpoch }),
    entity: entity.type,
    entityVersion: entity.version,
  };
}

/** Returns the whole stored item. */
export const toStoredItem = <T, K>(entity: Entity<T, K>, item: T & K): Item =>
  toItem({ ...toAttributes(entity, item), ...entity.key(item) });

/**
 * Puts a new item. `onConditionFailed` creates the error for an existing item.
 * @param when the condition on the stored item. Default: there is none.
 */
export const create = <T, K>(
  entity: Entity<T, K>,
  item: T & K,
  onConditionFailed?: () => Error,
  when: Record<string, Condition> = { pk: 'absent' },
): Write => buildWrite('Put', { Item: toStoredItem(entity, item) }, { when }, onConditionFailed);

/** Makes `onConditionFailed` receive the parsed stored item, or undefined if there is none. This needs no extra round trip. */
const withStoredItem = <T, K>(entity: Entity<T, K>, write: Write, onConditionFailed: (item?: T) => Error): Write => ({
  ...write,
  input: { ...write.input, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' },
  onConditionFailed: (item) => onConditionFailed(item === undefined ? undefined : entity.parse(item)),
});

/** Puts a new item. `onConditionFailed` receives the existing item. */
export const claim = <T, K>(entity: Entity<T, K>, item: T & K, onConditionFailed: (holder?: T) => Error): Write =>
  withStoredItem(entity, create(entity, item), onConditionFailed);

/**
 * Replaces the values of all fields of an item, if the condition holds. Attributes that are not fields of the entity stay, because a
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
  const changes = { set: withoutUndefined(set), remove: [...new Set(absent)] };
  return buildWrite('Update', { Key: toItem(entity.key(item)) }, { changes, when }, onConditionFailed);
}

/** Attributes for the indexes, for the expiry, and for the failures of sweeps. */
const INDEX_ATTRIBUTES = ['listPk', 'listSk', 'duePk', 'dueAt', 'expiresAtEpoch', 'sweepFailure'];
const withoutUndefined = (values: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/** Changes an existing item. It can change index attributes (`listPk`, `dueAt`, …) like any others. */
export const change = <T, K>(entity: Entity<T, K>, id: K, changes: Change, onConditionFailed?: () => Error): Write =>
  changeByKey(entity.key(id), changes, onConditionFailed);

/** Changes an existing item by its physical key, regardless of its entity. For items that may not parse. */
export const changeByKey = (
  { pk, sk }: { pk: string; sk: string },
  changes: Change,
  onConditionFailed?: () => Error,
): Write => {
  const { when, whenAny } = changes;
  const expressions: Expressions = { changes: withOrigin(changes), when: { pk: 'present', ...when }, whenAny };
  return buildWrite('Update', { Key: toItem({ pk, sk }) }, expressions, onConditionFailed);
};

/** Puts an unparsed item, unless an item with its key exists. */
export const createStored = (item: Item, onConditionFailed: () => Error): Write => ({
  kind: 'Put',
  input: { Item: item, ConditionExpression: 'attribute_not_exists(pk)' },
  onConditionFailed,
});

/** Deletes an item by its physical key. Deleting a missing item is not an error, unless a condition requires it. */
export const removeByKey = (
  { pk, sk }: { pk: string; sk: string },
  when?: Record<string, Condition>,
  onConditionFailed?: () => Error,
): Write => buildWrite('Delete', { Key: toItem({ pk, sk }) }, { when }, onConditionFailed);

/** Adds the id of the current request to the values that a change sets. */
const withOrigin = (changes: Change): Change =>
  changeFields().requestId === undefined ? changes : { ...changes, set: { ...changeFields(), ...changes.set } };

/** Changes an item like `change`. `onConditionFailed` receives the item whose condition failed. */
export const changeOrInspect = <T, K>(
  entity: Entity<T, K>,
  id: K,
  changes: Change,
  onConditionFailed: (item?: T) => Error,
): Write => withStoredItem(entity, change(entity, id, changes), onConditionFailed);

/** Changes an item, and creates it with its type if it does not exist. Conditions must allow for the absent item. */
export function upsert<T, K>(entity: Entity<T, K>, id: K, given: Change, onConditionFailed?: () => Error): Write {
  const { when, whenAny } = given;
  const changes = withOrigin({ ...given, set: { entity: entity.type, ...given.set } });
  return buildWrite('Update', { Key: toItem(entity.key(id)) }, { changes, when, whenAny }, onConditionFailed);
}

/**
 * Creates an item with only the permission to update, which every function has. For items that any request may create.
 * `onConditionFailed` creates the error for an existing item.
 */
export function createViaUpdate<T, K>(entity: Entity<T, K>, item: T & K, onConditionFailed: () => Error): Write {
  const set = withoutUndefined(toAttributes(entity, item));
  return upsert(entity, item, { set, when: { pk: 'absent' } }, onConditionFailed);
}

/** Deletes an item. Deleting a missing item is not an error, unless a condition requires it. */
export const remove = <T, K>(
  entity: Entity<T, K>,
  id: K,
  when?: Record<string, Condition>,
  onConditionFailed?: () => Error,
): Write => removeByKey(entity.key(id), when, onConditionFailed);

/** Makes a transaction fail if an item exists. `onConditionFailed` receives that item. */
export const checkAbsent = <T, K>(entity: Entity<T, K>, id: K, onConditionFailed: (item?: T) => Error): Write =>
  withStoredItem(entity, check(entity, id, { pk: 'absent' }, unexpectedConditionFailure), onConditionFailed);

/** Makes a transaction fail if an item does not meet the conditions. */
export const check = <T, K>(
  entity: Entity<T, K>,
  id: K,
  when: Record<string, Condition>,
  onConditionFailed: () => Error,
  whenAny?: readonly AnyOf[],
): Write => buildWrite('ConditionCheck', { Key: toItem(entity.key(id)) }, { when, whenAny }, onConditionFailed);

/** Checks an item like `check`. `onConditionFailed` receives the item whose condition failed. */
export const checkOrInspect = <T, K>(
  entity: Entity<T, K>,
  id: K,
  conditions: Pick<Change, 'when' | 'whenAny'>,
  onConditionFailed: (item?: T) => Error,
): Write =>
  withStoredItem(
    entity,
    check(entity, id, conditions.when ?? { pk: 'present' }, unexpectedConditionFailure, conditions.whenAny),
    onConditionFailed,
  );
