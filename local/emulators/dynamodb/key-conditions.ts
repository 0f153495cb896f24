import type { SQLInputValue } from 'node:sqlite';
import { invalid } from './errors.ts';
import type { Scope } from './expressions/scope.ts';
import type { Condition, Parsed, Path } from './expressions/syntax.ts';
import { keyText, type OpenIndex, type OpenTable } from './storage.ts';
import { typeOf, type Value } from './values.ts';

/** The part of an order that a query reads: SQL behind `WHERE`, with its values. */
export interface Range {
  where: string[];
  values: SQLInputValue[];
}
/** Columns of a table or index, in the order of its rows. */
export interface Order {
  from: string;
  body: string;
  size: string;
  hash: string;
  columns: readonly string[];
}

const SQL_COMPARATORS = { '=': '=', '<': '<', '<=': '<=', '>': '>', '>=': '>=' } as const;
const NOT_SUPPORTED = 'Query key condition not supported';

/** Returns the conditions that must hold together. */
const conjuncts = (condition: Condition): Condition[] =>
  condition.kind === 'and' ? [...conjuncts(condition.left), ...conjuncts(condition.right)] : [condition];

/** Returns what comes behind all texts that begin with a prefix. */
const behindPrefix = (prefix: Value): SQLInputValue => {
  if (prefix.S !== undefined) return `${prefix.S}\u{10FFFF}`;
  return Buffer.concat([Buffer.from(prefix.B ?? '', 'base64'), Buffer.alloc(1024, 0xff)]);
};

/** Returns the part of an order that a condition on keys names. Throws for conditions that no key can have. */
export function keyRange(
  parsed: Parsed<Condition>,
  scope: Scope,
  table: OpenTable,
  index: OpenIndex | undefined,
  order: Order,
): Range & { hash: Value } {
  const { hash, range } = index?.keys ?? table.keys;
  const found: Range & { hash?: Value } = { where: [], values: [] };
  const rangeColumn = order.columns[0] ?? '';
  const read = (name: string, operand: { kind: string; name?: unknown }): Value => {
    if (operand.kind !== 'value') throw invalid(`Invalid KeyConditionExpression: ${NOT_SUPPORTED}`);
    const value = scope.value(String(operand.name));
    const wanted = table.types.get(name);
    if (typeOf(value) !== wanted)
      throw invalid(`One or more parameter values were invalid: Condition parameter type does not match schema type`);
    if ((value.S ?? value.B) === '')
      throw invalid(
        `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: ${name}`,
      );
    return value;
  };
  const attribute = (path: Path): string => {
    const steps = scope.resolve(path);
    const [name] = steps;
    if (steps.length > 1 || typeof name !== 'string')
      throw invalid(
        'Invalid KeyConditionExpression: KeyConditionExpressions cannot have conditions on nested attributes',
      );
    return name;
  };
  let hasRange = false;
  for (const each of conjuncts(parsed.tree)) {
    const of =
      each.kind === 'compare'
        ? each.left
        : each.kind === 'function'
          ? each.path
          : each.kind === 'between'
            ? each.of
            : undefined;
    if (of?.kind !== 'path')
      throw invalid(`Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression`);
    const name = attribute(of);
    if (name === hash && each.kind === 'compare' && each.comparator === '=' && !found.hash) {
      found.hash = read(name, each.right);
      continue;
    }
    if (name === hash) throw invalid(NOT_SUPPORTED);
    if (name !== range) throw invalid(`Query condition missed key schema element: ${range ?? hash}`);
    if (hasRange) throw invalid('KeyConditionExpressions must only contain one condition per key');
    hasRange = true;
    if (each.kind === 'compare') {
      const comparator = each.comparator === '<>' ? undefined : SQL_COMPARATORS[each.comparator];
      if (!comparator)
        throw invalid('Invalid KeyConditionExpression: Unsupported operator in KeyConditionExpression: operator: <>');
      found.where.push(`${rangeColumn} ${comparator} ?`);
      found.values.push(keyText(read(name, each.right)));
    } else if (each.kind === 'between') {
      const [low, high] = [keyText(read(name, each.low)), keyText(read(name, each.high))];
      if (low > high)
        throw invalid(
          'Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be greater than or equal to lower bound',
        );
      found.where.push(`${rangeColumn} BETWEEN ? AND ?`);
      found.values.push(low, high);
    } else if (each.kind === 'function' && each.name === 'begins_with' && each.argument) {
      const prefix = read(name, each.argument);
      if (prefix.N !== undefined)
        throw invalid(
          'Invalid KeyConditionExpression: Incorrect operand type for operator or function; operator or function: begins_with, operand type: N',
        );
      found.where.push(`${rangeColumn} >= ? AND ${rangeColumn} < ?`);
      found.values.push(keyText(prefix), behindPrefix(prefix));
    } else throw invalid('Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression');
  }
  if (!found.hash) throw invalid(`Query condition missed key schema element: ${hash}`);
  return {
    where: [`${order.hash} = ?`, ...found.where],
    values: [keyText(found.hash), ...found.values],
    hash: found.hash,
  };
}
