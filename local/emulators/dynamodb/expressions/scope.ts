import { isObject } from '../../../../contract/json.ts';
import { invalid } from '../errors.ts';
import { type Item, member, readValue, sizeOfValue, type Value } from '../values.ts';
import type { Operand, Parsed, Path } from './syntax.ts';
import type { ExpressionName } from './tokens.ts';

/** A path with its aliases resolved. */
export type Steps = readonly (string | number)[];

export interface Placeholders {
  ExpressionAttributeNames?: unknown;
  ExpressionAttributeValues?: unknown;
}

/** The names and values of one request, for its expressions. */
export interface Scope {
  /** Returns a path with its aliases resolved. */
  resolve(path: Path): Steps;
  /** Returns the value of a placeholder. */
  value(name: string): Value;
  /** Returns what an operand is in an item; undefined where the item lacks it. */
  read(item: Item, operand: Operand): Value | undefined;
}

/** Returns the value at a path of an item. */
export function valueAt(item: Item, steps: Steps): Value | undefined {
  let at: Value | undefined = { M: item };
  for (const step of steps) {
    if (at === undefined) return undefined;
    if (typeof step === 'number') at = at.L?.[step];
    else at = at.M && member(at.M, step);
  }
  return at;
}

const show = (steps: Steps): string =>
  `[${steps.map((step) => (typeof step === 'number' ? `[${step}]` : step)).join(', ')}]`;

/** Returns the paths. Throws where one is a part of another, or takes for a list what another takes for a map. */
export function refuseOverlaps(paths: Steps[], expression: ExpressionName): Steps[] {
  for (const [index, one] of paths.entries())
    for (const other of paths.slice(index + 1)) {
      const shared = Math.min(one.length, other.length);
      const fork = one.slice(0, shared).findIndex((step, at) => step !== other[at]);
      if (fork >= 0 && typeof one[fork] === typeof other[fork]) continue;
      const problem = fork < 0 ? 'overlap' : 'conflict';
      throw invalid(
        `Invalid ${expression}: Two document paths ${problem} with each other; must remove or rewrite one of these paths; path one: ${show(one)}, path two: ${show(other)}`,
      );
    }
  return paths;
}

/** Opens the scope of a request. Throws if a placeholder is missing, unused or malformed. */
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
      inValues(name, () => readValue(raw[name])),
    );

  let needsNames = false;
  let needsValues = false;
  const usedNames = new Set<string>();
  const usedValues = new Set<string>();
  for (const [expression, parsed] of Object.entries(expressions)) {
    if (!parsed) continue;
    for (const name of parsed.names) {
      if (!Object.hasOwn(names, name))
        throw invalid(
          `Invalid ${expression}: An expression attribute name used in the document path is not defined; attribute name: ${name}`,
        );
      usedNames.add(name);
    }
    for (const name of parsed.values) {
      if (!values.has(name))
        throw invalid(
          `Invalid ${expression}: An expression attribute value used in expression is not defined; attribute value: ${name}`,
        );
      usedValues.add(name);
    }
    needsNames = needsValues = true;
  }
  const given = Object.keys(names);
  if (given.length > 0 && !needsNames)
    throw invalid('ExpressionAttributeNames can only be specified when using expressions');
  if (values.size > 0 && !needsValues)
    throw invalid('ExpressionAttributeValues can only be specified when using expressions');
  refuseUnused('ExpressionAttributeNames', given, usedNames);
  refuseUnused('ExpressionAttributeValues', [...values.keys()], usedValues);

  const resolve = ({ steps }: Path): Steps =>
    steps.map((step) => (typeof step === 'string' && step.startsWith('#') ? String(names[step]) : step));
  const value = (name: string): Value => values.get(name) as Value;
  return {
    resolve,
    value,
    read(item, operand) {
      if (operand.kind === 'value') return value(operand.name);
      if (operand.kind === 'path') return valueAt(item, resolve(operand));
      const of = valueAt(item, resolve(operand.of));
      const size = of && measure(of);
      return size === undefined ? undefined : { N: String(size) };
    },
  };
}

function refuseUnused(what: string, given: readonly string[], used: ReadonlySet<string>): void {
  const unused = given.filter((name) => !used.has(name));
  if (unused.length > 0) throw invalid(`Value provided in ${what} unused in expressions: keys: {${unused.join(', ')}}`);
}

function readMap(raw: unknown, what: string, sign: string): Record<string, unknown> {
  if (raw === undefined) return {};
  if (!isObject(raw)) throw invalid(`${what} must be a map`);
  const keys = Object.keys(raw);
  if (keys.length === 0) throw invalid(`${what} must not be empty`);
  for (const key of keys)
    if (!key.startsWith(sign)) throw invalid(`${what} contains invalid key: Syntax error; key: "${key}"`);
  return raw;
}

function readNames(raw: unknown): Record<string, string> {
  const names = readMap(raw, 'ExpressionAttributeNames', '#');
  for (const alias in names)
    if (typeof names[alias] !== 'string' || names[alias] === '')
      throw invalid(`ExpressionAttributeNames contains invalid value: Empty attribute name; key: ${alias}`);
  return names as Record<string, string>;
}

function inValues<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error)
      error.message = `ExpressionAttributeValues contains invalid value: ${error.message} for key ${name}`;
    throw error;
  }
}

/** Returns the result of `size`; undefined for types that have none. */
function measure(value: Value): number | undefined {
  if (value.L) return value.L.length;
  if (value.M) return Object.keys(value.M).length;
  const members = value.SS ?? value.NS ?? value.BS;
  if (members) return members.length;
  return value.S !== undefined || value.B !== undefined ? sizeOfValue(value) : undefined;
}
