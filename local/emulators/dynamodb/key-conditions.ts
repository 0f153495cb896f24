import type { SQLInputValue } from 'node:sqlite';
import { invalid } from './errors.ts';
import type { Scope } from './expressions/scope.ts';
import type { Condition, Operand, Parsed } from './expressions/syntax.ts';
import { keyText, type OpenTable } from './storage.ts';
import { type Type, typeOf, type Value } from './values.ts';

/** The range of rows that a query reads, as SQL conditions with their values. */
export interface Range {
  where: string[];
  values: SQLInputValue[];
}
/** The SQL of a table or index: its `FROM` clause, its columns, and the columns that order its rows within a partition. */
export interface Order {
  from: string;
  body: string;
  size: string;
  hash: string;
  columns: readonly string[];
}

const NOT_SUPPORTED = 'Query key condition not supported';
const INVALID_OPERATOR = 'Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression';

/** Returns the conditions that `AND` connects. */
const conjuncts = (condition: Condition): Condition[] =>
  condition.kind === 'and' ? [...conjuncts(condition.left), ...conjuncts(condition.right)] : [condition];

/** Returns an upper bound of all values that begin with a prefix. */
const prefixUpperBound = (prefix: Value): SQLInputValue => {
  if (prefix.S !== undefined) return `${prefix.S}\u{10FFFF}`;
  return Buffer.concat([Buffer.from(prefix.B ?? '', 'base64'), Buffer.alloc(1024, 0xff)]);
};

/** Returns the name of the attribute that a condition tests. Throws for conditions that keys do not allow. */
function attributeOf(condition: Condition, scope: Scope): string {
  const { kind } = condition;
  const subject =
    kind === 'compare'
      ? condition.left
      : kind === 'function'
        ? condition.path
        : kind === 'between'
          ? condition.operand
          : undefined;
  if (subject?.kind !== 'path') throw invalid(INVALID_OPERATOR);
  const [name, ...nested] = scope.resolve(subject);
  if (nested.length > 0 || typeof name !== 'string')
    throw invalid(
      'Invalid KeyConditionExpression: KeyConditionExpressions cannot have conditions on nested attributes',
    );
  return name;
}

/** Returns the value with which a condition compares a key attribute. */
function keyValue(operand: Operand, scope: Scope, name: string, type: Type | undefined): Value {
  if (operand.kind !== 'value') throw invalid(`Invalid KeyConditionExpression: ${NOT_SUPPORTED}`);
  const value = scope.value(operand.name);
  if (typeOf(value) !== type)
    throw invalid(`One or more parameter values were invalid: Condition parameter type does not match schema type`);
  if ((value.S ?? value.B) === '')
    throw invalid(
      `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: ${name}`,
    );
  return value;
}

/** Returns the range of rows in which a condition on the range key holds. */
function rangeOf(condition: Condition, column: string, read: (operand: Operand) => Value): Range {
  if (condition.kind === 'compare') {
    const { comparator, right } = condition;
    if (comparator === '<>')
      throw invalid('Invalid KeyConditionExpression: Unsupported operator in KeyConditionExpression: operator: <>');
    return { where: [`${column} ${comparator} ?`], values: [keyText(read(right))] };
  }
  if (condition.kind === 'between') {
    const [low, high] = [keyText(read(condition.low)), keyText(read(condition.high))];
    if (low > high)
      throw invalid(
        'Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be greater than or equal to lower bound',
      );
    return { where: [`${column} BETWEEN ? AND ?`], values: [low, high] };
  }
  if (condition.kind === 'function' && condition.name === 'begins_with' && condition.argument) {
    const prefix = read(condition.argument);
    if (prefix.N !== undefined)
      throw invalid(
        'Invalid KeyConditionExpression: Incorrect operand type for operator or function; operator or function: begins_with, operand type: N',
      );
    return { where: [`${column} >= ? AND ${column} < ?`], values: [keyText(prefix), prefixUpperBound(prefix)] };
  }
  throw invalid(INVALID_OPERATOR);
}

/** Returns the range of rows that a key condition selects, and the hash key. Throws for conditions that keys do not allow. */
export function keyRange(
  parsed: Parsed<Condition>,
  scope: Scope,
  { keys: { hash, range }, types }: Pick<OpenTable, 'keys' | 'types'>,
  order: Pick<Order, 'hash' | 'columns'>,
): Range & { hash: Value } {
  let hashValue: Value | undefined;
  let inRange: Range | undefined;
  for (const each of conjuncts(parsed.tree)) {
    const name = attributeOf(each, scope);
    const read = (operand: Operand): Value => keyValue(operand, scope, name, types.get(name));
    if (name === hash) {
      if (each.kind !== 'compare' || each.comparator !== '=' || hashValue) throw invalid(NOT_SUPPORTED);
      hashValue = read(each.right);
    } else if (name !== range) {
      throw invalid(`Query condition missed key schema element: ${range ?? hash}`);
    } else if (inRange) {
      throw invalid('KeyConditionExpressions must only contain one condition per key');
    } else inRange = rangeOf(each, order.columns[0] ?? '', read);
  }
  if (!hashValue) throw invalid(`Query condition missed key schema element: ${hash}`);
  return {
    where: [`${order.hash} = ?`, ...(inRange?.where ?? [])],
    values: [keyText(hashValue), ...(inRange?.values ?? [])],
    hash: hashValue,
  };
}
