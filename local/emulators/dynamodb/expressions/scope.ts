import { isObject } from '../../../../contract/json.ts';
import { invalid } from '../errors.ts';
import { type Item, member, readValue, sizeOfValue, type Value } from '../values.ts';
import type { Operand, Parsed, Path } from './syntax.ts';
import type { ExpressionName } from './tokens.ts';

/** A path with its placeholders resolved. */
export type Steps = readonly (string | number)[];

export interface Placeholders {
  ExpressionAttributeNames?: unknown;
  ExpressionAttributeValues?: unknown;
}

/** The names and values that a request defines for its expressions. */
export interface Scope {
  /** Returns a path with its placeholders resolved. */
  resolve(path: Path): Steps;
  /** Returns the value of a placeholder. */
  value(name: string): Value;
  /** Returns an operand's value in an item; undefined if the item lacks it. */
  read(item: Item, operand: Operand): Value | undefined;
}

/** Returns the value at a path of an item. */
export function valueAt(item: Item, steps: Steps): Value | undefined {
  let value: Value | undefined = { M: item };
  for (const step of steps) {
    if (value === undefined) return undefined;
    if (typeof step === 'number') value = value.L?.[step];
    else value = value.M && member(value.M, step);
  }
  return value;
}

const show = (steps: Steps): string =>
  `[${steps.map((step) => (typeof step === 'number' ? `[${step}]` : step)).join(', ')}]`;

/** Returns the paths. Throws if one contains another, or if two disagree on whether a value is a list or a map. */
export function refuseOverlaps(paths: Steps[], expression: ExpressionName): Steps[] {
  for (const [index, path] of paths.entries())
    for (const other of paths.slice(index + 1)) {
      const sharedLength = Math.min(path.length, other.length);
      const fork = path.slice(0, sharedLength).findIndex((step, position) => step !== other[position]);
      if (fork >= 0 && typeof path[fork] === typeof other[fork]) continue;
      const problem = fork < 0 ? 'overlap' : 'conflict';
      throw invalid(
        `Invalid ${expression}: Two document paths ${problem} with each other; must remove or rewrite one of these paths; path one: ${show(path)}, path two: ${show(other)}`,
      );
    }
  return paths;
}

/** Creates the scope of a request. Throws if a placeholder is undefined, unused or malformed. */
export function createScope(
  request: Placeholders,
  expressions: Partial<Record<ExpressionName, Parsed<unknown> | undefined>>,
): Scope {
  const names = readNames(request.ExpressionAttributeNames);
  const raw = readMap(request.ExpressionAttributeValues, 'ExpressionAttributeValues', ':');
  const values = new Map<string, Value>();
  for (const name in raw)
    values.set(
      name,
      withValueName(name, () => readValue(raw[name])),
    );

  const all = Object.entries(expressions).flatMap(([expression, parsed]) =>
    parsed ? [{ expression, ...parsed }] : [],
  );
  for (const { expression, names: usedNames, values: usedValues } of all) {
    for (const name of usedNames)
      if (!Object.hasOwn(names, name))
        throw invalid(
          `Invalid ${expression}: An expression attribute name used in the document path is not defined; attribute name: ${name}`,
        );
    for (const name of usedValues)
      if (!values.has(name))
        throw invalid(
          `Invalid ${expression}: An expression attribute value used in expression is not defined; attribute value: ${name}`,
        );
  }
  const refuseUnused = (parameter: string, given: readonly string[], kind: 'names' | 'values'): void => {
    if (given.length > 0 && all.length === 0)
      throw invalid(`${parameter} can only be specified when using expressions`);
    const unused = given.filter((name) => !all.some((parsed) => parsed[kind].has(name)));
    if (unused.length > 0)
      throw invalid(`Value provided in ${parameter} unused in expressions: keys: {${unused.join(', ')}}`);
  };
  refuseUnused('ExpressionAttributeNames', Object.keys(names), 'names');
  refuseUnused('ExpressionAttributeValues', [...values.keys()], 'values');

  const resolve = ({ steps }: Path): Steps =>
    steps.map((step) => (typeof step === 'string' && step.startsWith('#') ? String(names[step]) : step));
  const value = (name: string): Value => values.get(name) as Value;
  return {
    resolve,
    value,
    read(item, operand) {
      if (operand.kind === 'value') return value(operand.name);
      if (operand.kind === 'path') return valueAt(item, resolve(operand));
      const measured = valueAt(item, resolve(operand.path));
      const size = measured && measure(measured);
      return size === undefined ? undefined : { N: String(size) };
    },
  };
}

function readMap(raw: unknown, parameter: string, prefix: string): Record<string, unknown> {
  if (raw === undefined) return {};
  if (!isObject(raw)) throw invalid(`${parameter} must be a map`);
  const keys = Object.keys(raw);
  if (keys.length === 0) throw invalid(`${parameter} must not be empty`);
  for (const key of keys)
    if (!key.startsWith(prefix)) throw invalid(`${parameter} contains invalid key: Syntax error; key: "${key}"`);
  return raw;
}

function readNames(raw: unknown): Record<string, string> {
  const names = readMap(raw, 'ExpressionAttributeNames', '#');
  for (const alias in names)
    if (typeof names[alias] !== 'string' || names[alias] === '')
      throw invalid(`ExpressionAttributeNames contains invalid value: Empty attribute name; key: ${alias}`);
  return names as Record<string, string>;
}

/** Runs a read of an expression attribute value, and adds its name to the message of an error. */
function withValueName<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error)
      error.message = `ExpressionAttributeValues contains invalid value: ${error.message} for key ${name}`;
    throw error;
  }
}

/** Returns the result of the function `size`; undefined for types without a size. */
function measure(value: Value): number | undefined {
  if (value.L) return value.L.length;
  if (value.M) return Object.keys(value.M).length;
  const members = value.SS ?? value.NS ?? value.BS;
  if (members) return members.length;
  return value.S !== undefined || value.B !== undefined ? sizeOfValue(value) : undefined;
}
