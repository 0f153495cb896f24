import { invalid } from '../errors.ts';
import { addValues, type Item, member, typeOf, type Value } from '../values.ts';
import { refuseOverlaps, type Scope, type Steps, valueAt } from './scope.ts';
import type { Expression, Update } from './syntax.ts';

const WRONG_TYPE = 'An operand in the update expression has an incorrect data type';
const MISSING = 'The provided expression refers to an attribute that does not exist in the item';
const INVALID_PATH = 'The document path provided in the update expression is invalid for update';

/** Returns the paths that an update changes. Throws for updates that DynamoDB refuses before it reads the item. */
export function pathsOf({ set, remove, add, delete: deleted }: Update, scope: Scope): Steps[] {
  for (const { to } of set) checkLiterals(to, scope);
  for (const { value } of add) setTypeOf(scope.value(value.name), 'ADD', 'N');
  for (const { value } of deleted) setTypeOf(scope.value(value.name), 'DELETE');
  const paths = [...set, ...add, ...deleted].map(({ path }) => path);
  return refuseOverlaps(
    [...paths, ...remove].map((path) => scope.resolve(path)),
    'UpdateExpression',
  );
}

/** Throws if a literal has the wrong type for its operator, whatever the item contains. */
function checkLiterals(expression: Expression, scope: Scope): void {
  if (expression.kind === 'if_not_exists') checkLiterals(expression.otherwise, scope);
  if (expression.kind !== 'sum' && expression.kind !== 'list_append') return;
  const [operator, wanted] =
    expression.kind === 'list_append' ? ['list_append', 'L'] : [expression.sign > 0 ? '+' : '-', 'N'];
  for (const side of [expression.left, expression.right]) {
    checkLiterals(side, scope);
    const value = side.kind === 'value' ? scope.value(side.name) : undefined;
    if (value && typeOf(value) !== wanted) throw invalid(operandMessage(operator, value));
  }
}

/** Returns a copy of an item with an update applied. The right sides of the update read the item before the update. */
export function applyUpdate(update: Update, before: Item, scope: Scope): Item {
  const item = { ...before };
  // Computes all values before the first change.
  const sets = update.set.map(({ path, to }) => [scope.resolve(path), evaluate(to, before, scope)] as const);
  const adds = update.add.map(({ path, value }) => {
    const steps = scope.resolve(path);
    return [steps, addedValue(valueAt(before, steps), scope.value(value.name))] as const;
  });
  const deletes = update.delete.map(({ path, value }) => {
    const steps = scope.resolve(path);
    return [steps, withoutMembers(valueAt(before, steps), scope.value(value.name))] as const;
  });
  for (const [steps, value] of [...sets, ...adds]) put(item, steps, value);
  for (const [steps, value] of deletes)
    if (value === 'empty') drop(item, steps);
    else if (value) put(item, steps, value);
    else placeOf(item, steps);
  // Removes list elements from the last index to the first, because the indexes refer to the list before the update.
  const removed = update.remove.map((path) => scope.resolve(path));
  for (const steps of removed.sort(byLastIndex)) drop(item, steps);
  return item;
}

const byLastIndex = (a: Steps, b: Steps): number => {
  const [first, second] = [a.at(-1), b.at(-1)];
  return typeof first === 'number' && typeof second === 'number' ? second - first : 0;
};

function evaluate(expression: Expression, item: Item, scope: Scope): Value {
  switch (expression.kind) {
    case 'value':
      return scope.value(expression.name);
    case 'path':
      return existing(valueAt(item, scope.resolve(expression)));
    case 'if_not_exists':
      return valueAt(item, scope.resolve(expression.path)) ?? evaluate(expression.otherwise, item, scope);
    case 'list_append': {
      const [left, right] = [evaluate(expression.left, item, scope), evaluate(expression.right, item, scope)];
      if (!left.L || !right.L) throw invalid(WRONG_TYPE);
      return { L: [...left.L, ...right.L] };
    }
    default:
      return addValues(
        evaluate(expression.left, item, scope),
        evaluate(expression.right, item, scope),
        expression.sign,
      );
  }
}

const existing = (value: Value | undefined): Value => {
  if (!value) throw invalid(MISSING);
  return value;
};

const SETS = ['SS', 'NS', 'BS'] as const;

/**
 * Returns the type of an operand that is a set. Throws for other operands.
 * @param alsoAllowed `N` to accept a number too, for which the returned type has no meaning
 */
function setTypeOf(value: Value, operator: string, alsoAllowed?: 'N'): (typeof SETS)[number] {
  const type = SETS.find((each) => value[each]);
  if (!type && !(alsoAllowed && value[alsoAllowed] !== undefined)) throw invalid(operandMessage(operator, value));
  return type ?? 'SS';
}

function addedValue(current: Value | undefined, value: Value): Value {
  if (value.N !== undefined) return current ? addValues(current, value, 1) : value;
  const type = setTypeOf(value, 'ADD');
  if (!current) return value;
  const members = current[type];
  if (!members) throw invalid(WRONG_TYPE);
  return { [type]: [...new Set([...members, ...(value[type] ?? [])])] };
}

function withoutMembers(current: Value | undefined, value: Value): Value | 'empty' | undefined {
  const type = setTypeOf(value, 'DELETE');
  if (!current) return undefined;
  const members = current[type];
  if (!members) throw invalid(WRONG_TYPE);
  const remaining = members.filter((member) => !value[type]?.includes(member));
  return remaining.length === 0 ? 'empty' : { [type]: remaining };
}

const operandMessage = (operator: string, value: Value): string =>
  `Invalid UpdateExpression: Incorrect operand type for operator or function; operator: ${operator}, operand type: ${typeOf(value)}`;

/**
 * Returns the map or list that contains the last step of a path. Copies all values on the way to it, so that the item before the
 * update remains unchanged.
 */
function parentOf(item: Item, steps: Steps): Value | undefined {
  let parent: Value = { M: item };
  for (const step of steps.slice(0, -1)) {
    const child: Value | undefined = typeof step === 'number' ? parent.L?.[step] : parent.M && member(parent.M, step);
    if (!child) return undefined;
    const copy: Value = child.M ? { M: { ...child.M } } : child.L ? { L: [...child.L] } : child;
    if (typeof step === 'number') parent.L?.splice(step, 1, copy);
    else if (parent.M) define(parent.M, step, copy);
    parent = copy;
  }
  return parent;
}

/** Sets a member under any name, `__proto__` included. */
const define = (item: Item, name: string, value: Value): void => {
  Object.defineProperty(item, name, { value, enumerable: true, writable: true, configurable: true });
};

/** Returns the list or map in which the last step of a path has a place, as a copy. Throws if there is none. */
function placeOf(item: Item, steps: Steps): Value {
  const parent = parentOf(item, steps);
  if (typeof steps.at(-1) === 'number' ? !parent?.L : !parent?.M) throw invalid(INVALID_PATH);
  return parent as Value;
}

function put(item: Item, steps: Steps, value: Value): void {
  const last = steps.at(-1) ?? '';
  const { L: list, M: map } = placeOf(item, steps);
  if (typeof last !== 'number') define(map as Item, last, value);
  // An index beyond the end appends.
  else list?.splice(last, 1, value);
}

function drop(item: Item, steps: Steps): void {
  const last = steps.at(-1) ?? '';
  const { L: list, M: map } = placeOf(item, steps);
  if (typeof last === 'number') list?.splice(last, 1);
  else delete map?.[last];
}
