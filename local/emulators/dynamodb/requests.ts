import { isObject } from '../../../contract/json.ts';
import { DynamoDbError, invalid, invalidParameter } from './errors.ts';
import { checkOperands, holds } from './expressions/conditions.ts';
import { parseCondition } from './expressions/parser.ts';
import { createScope, type Placeholders, type Scope } from './expressions/scope.ts';
import type { Condition, Parsed } from './expressions/syntax.ts';
import { keyOf, type OpenTable, type Stored, type StoredKey } from './storage.ts';
import { type Item, member, readItem, typeOf, type Value } from './values.ts';

/** Parsing and checks that single operations, batches and transactions share: keys, conditions, sizes. */

export type Input = Record<string, unknown>;

const MAX_ITEM_BYTES = 400 * 1024;
const MAX_HASH_BYTES = 2048;
const MAX_RANGE_BYTES = 1024;

/** Parameters that expressions replaced. The platform has never sent them. */
const LEGACY = [
  'Expected',
  'AttributeUpdates',
  'AttributesToGet',
  'ConditionalOperator',
  'KeyConditions',
  'QueryFilter',
  'ScanFilter',
];

export function refuseLegacy(input: Input): void {
  const found = LEGACY.find((name) => input[name] !== undefined);
  if (found) throw invalid(`The legacy parameter ${found} is not supported by the local run; use an expression.`);
}

export function nameIn(input: Input): string {
  const { TableName } = input;
  if (typeof TableName !== 'string')
    throw invalid(
      "1 validation error detected: Value null at 'tableName' failed to satisfy constraint: Member must not be null",
    );
  return TableName;
}

const MISMATCH = 'The provided key element does not match the schema';

function checkKeyValue(table: OpenTable, name: string, value: Value | undefined, limit: number): void {
  if (!value) throw invalid(MISMATCH);
  const wanted = table.types.get(name);
  if (typeOf(value) !== wanted) throw invalid(MISMATCH);
  const text = value.S ?? value.B ?? value.N ?? '';
  if (text === '')
    throw invalidParameter(
      `The AttributeValue for a key attribute cannot contain an empty ${wanted === 'B' ? 'binary' : 'string'} value. Key: ${name}`,
    );
  const bytes = value.B === undefined ? Buffer.byteLength(text) : Buffer.byteLength(value.B, 'base64');
  if (bytes > limit)
    throw invalidParameter(
      `Size of ${limit === MAX_HASH_BYTES ? 'hashkey' : 'rangekey'} has exceeded the maximum size limit of${limit} bytes`,
    );
}

function checkKeyValues(table: OpenTable, item: Item): void {
  const { hash, range } = table.keys;
  checkKeyValue(table, hash, member(item, hash), MAX_HASH_BYTES);
  if (range !== undefined) checkKeyValue(table, range, member(item, range), MAX_RANGE_BYTES);
}

/** Reads the `Key` of a request. Throws unless it has exactly the attributes of the table's key. */
export function readKey(table: OpenTable, raw: unknown): { key: StoredKey; item: Item } {
  const item = readItem(raw);
  const { range } = table.keys;
  if (Object.keys(item).length !== (range === undefined ? 1 : 2)) throw invalid(MISMATCH);
  checkKeyValues(table, item);
  return { key: keyOf(table.keys, item), item };
}

/** Reads the item of a put. Throws unless it contains a valid key. */
export function readWhole(table: OpenTable, raw: unknown): { key: StoredKey; item: Item } {
  const item = readItem(raw);
  for (const name of [table.keys.hash, table.keys.range])
    if (name !== undefined && !member(item, name)) throw invalidParameter(`Missing the key ${name} in the item`);
  for (const name of [table.keys.hash, table.keys.range]) {
    const value = name === undefined ? undefined : member(item, name);
    const wanted = name === undefined ? undefined : table.types.get(name);
    if (value && typeOf(value) !== wanted)
      throw invalidParameter(`Type mismatch for key ${name} expected: ${wanted} actual: ${typeOf(value)}`);
  }
  checkKeyValues(table, item);
  return { key: keyOf(table.keys, item), item };
}

/** Throws if an item is too large, or has an invalid value for an index's key. */
export function checkStorable(table: OpenTable, item: Item, size: number): void {
  if (size > MAX_ITEM_BYTES) throw invalid('Item size has exceeded the maximum allowed size');
  for (const { name, keys } of table.indexes.values())
    for (const attribute of [keys.hash, keys.range]) {
      const value = attribute === undefined ? undefined : member(item, attribute);
      if (attribute === undefined || !value) continue;
      const wanted = table.types.get(attribute);
      if (typeOf(value) !== wanted)
        throw invalidParameter(
          `Type mismatch for Index Key ${attribute} Expected: ${wanted} Actual: ${typeOf(value)} IndexName: ${name}`,
        );
      if ((value.S ?? value.N ?? value.B) === '')
        throw invalidParameter(
          `The update expression attempted to update a secondary index key to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: ${name}, IndexKey: ${attribute}`,
        );
    }
}

export interface Conditional {
  condition: Parsed<Condition> | undefined;
  scope: Scope;
}

/** Parses the condition of a request, and creates the scope of all its expressions. */
export function readCondition(input: Input, others: Parameters<typeof createScope>[1] = {}): Conditional {
  refuseLegacy(input);
  const { ConditionExpression } = input;
  const condition =
    ConditionExpression === undefined ? undefined : parseCondition(textOf(ConditionExpression), 'ConditionExpression');
  const scope = createScope(input as Placeholders, { ...others, ConditionExpression: condition });
  if (condition) checkOperands(condition.tree, scope);
  return { condition, scope };
}

export const textOf = (raw: unknown): string => {
  if (typeof raw !== 'string') throw invalid('An expression must be a string');
  return raw;
};

/** Returns the error if a condition does not hold, with the item if the request asks for it; undefined if it holds. */
export function refusal(
  { condition, scope }: Conditional,
  before: Stored | undefined,
  input: Input,
): DynamoDbError | undefined {
  if (!condition || holds(condition.tree, before?.item ?? {}, scope)) return undefined;
  const shows = before && input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD';
  return new DynamoDbError(
    'ConditionalCheckFailedException',
    'The conditional request failed',
    shows ? { Item: before.item } : {},
  );
}

/** Returns the attributes that a write returns, by default `NONE`. */
export function returnValuesOf({ ReturnValues = 'NONE' }: Input, allowed: readonly string[]): string {
  if (typeof ReturnValues === 'string' && allowed.includes(ReturnValues)) return ReturnValues;
  throw invalid(
    `1 validation error detected: Value '${ReturnValues}' at 'returnValues' failed to satisfy constraint: Member must satisfy enum value set: [${allowed.join(', ')}]`,
  );
}

/** Returns the consumed capacity for the response of an operation, if the request asks for it. */
export function consumed(input: Input, table: OpenTable, units: number): { ConsumedCapacity?: object } {
  const { ReturnConsumedCapacity } = input;
  if (ReturnConsumedCapacity === undefined || ReturnConsumedCapacity === 'NONE') return {};
  const all = { TableName: table.definition.TableName, CapacityUnits: units };
  return { ConsumedCapacity: ReturnConsumedCapacity === 'INDEXES' ? { ...all, Table: { CapacityUnits: units } } : all };
}

const READ_UNIT_BYTES = 4096;
const WRITE_UNIT_BYTES = 1024;
export const readUnits = (bytes: number, isConsistent: boolean): number =>
  Math.max(1, Math.ceil(bytes / READ_UNIT_BYTES)) * (isConsistent ? 1 : 0.5);
export const writeUnits = (...bytes: number[]): number => Math.max(1, Math.ceil(Math.max(...bytes) / WRITE_UNIT_BYTES));

export const asMap = (raw: unknown, parameter: string): Record<string, unknown> => {
  if (!isObject(raw)) throw invalid(`${parameter} must be a map`);
  return raw;
};
