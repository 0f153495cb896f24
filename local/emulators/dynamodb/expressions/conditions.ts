import { invalid } from '../errors.ts';
import { compareValues, equalValues, type Item, TYPES, typeOf, type Value } from '../values.ts';
import { type Scope, valueAt } from './scope.ts';
import type { Comparator, Condition, FunctionName, Operand, Path } from './syntax.ts';

type Ordered = Exclude<Comparator, '=' | '<>'>;
const IN_ORDER: Readonly<Record<Ordered, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

function compares(comparator: Comparator, left: Value | undefined, right: Value | undefined): boolean {
  // Nothing is equal to an absent attribute, and everything differs from it.
  if (comparator === '<>') return !(left && right && equalValues(left, right));
  if (!left || !right) return false;
  if (comparator === '=') return equalValues(left, right);
  const order = compareValues(left, right);
  return order !== undefined && IN_ORDER[comparator](order);
}

/** Returns true if a condition holds for an item. A missing item counts as an empty one. */
export function holds(condition: Condition, item: Item, scope: Scope): boolean {
  switch (condition.kind) {
    case 'and':
      return holds(condition.left, item, scope) && holds(condition.right, item, scope);
    case 'or':
      return holds(condition.left, item, scope) || holds(condition.right, item, scope);
    case 'not':
      return !holds(condition.condition, item, scope);
    case 'compare':
      return compares(condition.comparator, scope.read(item, condition.left), scope.read(item, condition.right));
    case 'between': {
      const value = scope.read(item, condition.operand);
      return (
        compares('>=', value, scope.read(item, condition.low)) &&
        compares('<=', value, scope.read(item, condition.high))
      );
    }
    case 'in': {
      const value = scope.read(item, condition.operand);
      return condition.members.some((member) => compares('=', value, scope.read(item, member)));
    }
    default:
      return functionHolds(condition, item, scope);
  }
}

function functionHolds(
  { name, path, argument }: Extract<Condition, { kind: 'function' }>,
  item: Item,
  scope: Scope,
): boolean {
  const value = valueAt(item, scope.resolve(path));
  if (name === 'attribute_exists') return value !== undefined;
  if (name === 'attribute_not_exists') return value === undefined;
  const other = argument && scope.read(item, argument);
  if (!value || !other) return false;
  if (name === 'attribute_type') return typeOf(value) === other.S;
  if (name === 'begins_with') return beginsWith(value, other);
  return containsValue(value, other);
}

function beginsWith(value: Value, prefix: Value): boolean {
  if (value.S !== undefined && prefix.S !== undefined) return value.S.startsWith(prefix.S);
  if (value.B === undefined || prefix.B === undefined) return false;
  const [bytes, start] = [Buffer.from(value.B, 'base64'), Buffer.from(prefix.B, 'base64')];
  return bytes.subarray(0, start.length).equals(start);
}

function containsValue(value: Value, part: Value): boolean {
  if (value.S !== undefined) return part.S !== undefined && value.S.includes(part.S);
  if (value.SS) return part.S !== undefined && value.SS.includes(part.S);
  if (value.NS) return part.N !== undefined && value.NS.includes(part.N);
  if (value.BS) return part.B !== undefined && value.BS.includes(part.B);
  if (value.L) return value.L.some((each) => equalValues(each, part));
  if (value.B !== undefined && part.B !== undefined)
    return Buffer.from(value.B, 'base64').includes(Buffer.from(part.B, 'base64'));
  return false;
}

const isOrdered = ({ S, N, B }: Value): boolean => (S ?? N ?? B) !== undefined;
/** The checks of the operators that do not accept all values. */
const ACCEPTED: Partial<Record<Comparator | FunctionName, (value: Value) => boolean>> = {
  begins_with: ({ S, B }) => (S ?? B) !== undefined,
  attribute_type: ({ S = '' }) => TYPES.has(S),
  '<': isOrdered,
  '<=': isOrdered,
  '>': isOrdered,
  '>=': isOrdered,
};

/** Throws for operands that DynamoDB refuses before it reads an item. */
export function checkOperands(condition: Condition, scope: Scope): void {
  if (condition.kind === 'and' || condition.kind === 'or') {
    checkOperands(condition.left, scope);
    checkOperands(condition.right, scope);
  } else if (condition.kind === 'not') checkOperands(condition.condition, scope);
  else if (condition.kind === 'compare') assertAccepted(condition.comparator, [condition.left, condition.right], scope);
  else if (condition.kind === 'function' && condition.argument)
    assertAccepted(condition.name, [condition.argument], scope);
}

function assertAccepted(operator: Comparator | FunctionName, operands: readonly Operand[], scope: Scope): void {
  for (const operand of operands) {
    if (operand.kind !== 'value') continue;
    const value = scope.value(operand.name);
    if (ACCEPTED[operator]?.(value) === false)
      throw invalid(
        `Invalid ConditionExpression: Incorrect operand type for operator or function; operator or function: ${operator}, operand type: ${typeOf(value)}`,
      );
  }
}

const pathsOfOperand = (operand: Operand): Path[] =>
  operand.kind === 'path' ? [operand] : operand.kind === 'size' ? [operand.path] : [];

/** Returns all paths of a condition. */
export function pathsIn(condition: Condition): Path[] {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return [...pathsIn(condition.left), ...pathsIn(condition.right)];
    case 'not':
      return pathsIn(condition.condition);
    case 'compare':
      return [condition.left, condition.right].flatMap(pathsOfOperand);
    case 'between':
      return [condition.operand, condition.low, condition.high].flatMap(pathsOfOperand);
    case 'in':
      return [condition.operand, ...condition.members].flatMap(pathsOfOperand);
    default:
      return [condition.path, ...(condition.argument ? pathsOfOperand(condition.argument) : [])];
  }
}
