import { isObject } from '../../../contract/json.ts';
import { invalid, invalidParameter } from './errors.ts';
import { addNumbers, canonicalNumber, compareNumbers } from './numbers.ts';

/** An attribute value in the protocol's format: one member, named by its type. */
export interface Value {
  S?: string;
  N?: string;
  /** Base64. */
  B?: string;
  BOOL?: boolean;
  NULL?: true;
  L?: Value[];
  M?: Item;
  SS?: string[];
  NS?: string[];
  BS?: string[];
}
export interface Item {
  [name: string]: Value;
}
export type Type = keyof Value;

export const TYPES: ReadonlySet<string> = new Set(['S', 'N', 'B', 'BOOL', 'NULL', 'L', 'M', 'SS', 'NS', 'BS']);
const MAX_DEPTH = 32;

export const typeOf = (value: Value): Type => {
  for (const type in value) return type as Type;
  throw invalid('Supplied AttributeValue is empty, must contain exactly one of the supported datatypes');
};

/** Returns a value in its canonical form. Throws if it is not an attribute value. */
export function readValue(raw: unknown, depth = 0): Value {
  if (depth > MAX_DEPTH) throw invalid('Nesting Levels have exceeded supported limits');
  if (!isObject(raw)) throw serializationError();
  const types = Object.keys(raw);
  const [type = ''] = types;
  if (types.length === 0 || !TYPES.has(type))
    throw invalid('Supplied AttributeValue is empty, must contain exactly one of the supported datatypes');
  if (types.length > 1)
    throw invalid(
      'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes',
    );
  const content = raw[type];
  switch (type as Type) {
    case 'S':
      return typeof content === 'string' ? (raw as Value) : refuse();
    case 'N':
      return typeof content === 'string' ? numberValue(raw as Value, content) : refuse();
    case 'B':
      return { B: binary(content) };
    case 'BOOL':
      return typeof content === 'boolean' ? (raw as Value) : refuse();
    case 'NULL':
      if (content !== true) throw invalidParameter('Null attribute value types must have the value of true');
      return raw as Value;
    case 'L':
      return { L: list(content).map((each) => readValue(each, depth + 1)) };
    case 'M':
      return { M: readItem(content, depth + 1) };
    case 'SS':
      return { SS: set(content, 'string', (each) => (typeof each === 'string' ? each : refuse())) };
    case 'NS':
      return { NS: set(content, 'number', (each) => (typeof each === 'string' ? canonicalNumber(each) : refuse())) };
    default:
      return { BS: set(content, 'binary', binary) };
  }
}

/** Returns an item, or a map, with all values in their canonical form. */
export function readItem(raw: unknown, depth = 0): Item {
  if (!isObject(raw)) throw serializationError();
  const item: Item = {};
  for (const name in raw) {
    const value = readValue(raw[name], depth);
    // An assignment to `__proto__` would set the prototype instead of an attribute.
    if (name === '__proto__')
      Object.defineProperty(item, name, { value, enumerable: true, writable: true, configurable: true });
    else item[name] = value;
  }
  return item;
}

/** Returns an attribute of an item; undefined if the item lacks it. Ignores inherited properties. */
export const member = (item: Item, name: string): Value | undefined =>
  Object.hasOwn(item, name) ? item[name] : undefined;

const serializationError = () => invalid('Start of structure or map found where not expected.');
const refuse = (): never => {
  throw serializationError();
};
const list = (content: unknown): unknown[] => (Array.isArray(content) ? content : refuse());
const numberValue = (raw: Value, content: string): Value => {
  const N = canonicalNumber(content);
  return N === content ? raw : { N };
};
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const binary = (content: unknown): string => {
  if (typeof content !== 'string') return refuse();
  if (!BASE64.test(content)) throw invalid('Invalid attribute value type');
  return content;
};

function set(content: unknown, kind: string, read: (each: unknown) => string): string[] {
  const members = list(content).map(read);
  if (members.length === 0) throw invalidParameter(`An ${kind} set  may not be empty`);
  if (new Set(members).size < members.length)
    throw invalidParameter(`Input collection [${members.join(', ')}] contains duplicates.`);
  return members;
}

const bytes = (text: string): number => Buffer.byteLength(text);
/** Returns the bytes of a number: one for each two digits, and one more. */
const numberSize = (text: string): number => (text.replace(/[-.]/g, '').length + 1) / 2 + 1;

/** Returns the bytes that DynamoDB counts for a value. */
export function sizeOfValue(value: Value): number {
  const type = typeOf(value);
  switch (type) {
    case 'S':
      return bytes(value.S ?? '');
    case 'N':
      return Math.floor(numberSize(value.N ?? ''));
    case 'B':
      return Buffer.byteLength(value.B ?? '', 'base64');
    case 'BOOL':
    case 'NULL':
      return 1;
    case 'L':
      return (value.L ?? []).reduce((sum, each) => sum + sizeOfValue(each) + 1, 3);
    case 'M': {
      const map = value.M ?? {};
      return Object.keys(map).length + 3 + sizeOfItem(map);
    }
    case 'SS':
      return (value.SS ?? []).reduce((sum, each) => sum + bytes(each), 0);
    case 'NS':
      return (value.NS ?? []).reduce((sum, each) => sum + Math.floor(numberSize(each)), 0);
    default:
      return (value.BS ?? []).reduce((sum, each) => sum + Buffer.byteLength(each, 'base64'), 0);
  }
}

/** Returns the bytes that DynamoDB counts for an item: its names and values. */
export function sizeOfItem(item: Item): number {
  let size = 0;
  for (const name in item) size += bytes(name) + sizeOfValue(item[name] as Value);
  return size;
}

/** Compares two values of the same ordered type (S, N or B). Returns undefined for other values. */
export function compareValues(a: Value, b: Value): number | undefined {
  if (a.S !== undefined && b.S !== undefined) return compareText(a.S, b.S);
  if (a.N !== undefined && b.N !== undefined) return compareNumbers(a.N, b.N);
  if (a.B !== undefined && b.B !== undefined)
    return Buffer.compare(Buffer.from(a.B, 'base64'), Buffer.from(b.B, 'base64'));
  return undefined;
}

/** Compares the UTF-8 bytes, whose order differs from JavaScript's for surrogate pairs. */
const compareText = (a: string, b: string): number => (a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b)));

export function equalValues(a: Value, b: Value): boolean {
  const type = typeOf(a);
  if (type !== typeOf(b)) return false;
  if (type === 'L') {
    const [first, second] = [a.L ?? [], b.L ?? []];
    return first.length === second.length && first.every((each, index) => equalValues(each, second[index] as Value));
  }
  if (type === 'M') return equalItems(a.M ?? {}, b.M ?? {});
  if (type === 'SS' || type === 'NS' || type === 'BS') {
    const [first, second] = [a[type] ?? [], new Set(b[type])];
    return first.length === second.size && first.every((each) => second.has(each));
  }
  return a[type] === b[type];
}

export function equalItems(a: Item, b: Item): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && equalValues(a[name] as Value, b[name] as Value))
  );
}

/** Returns `a + b` or `a - b` of two numbers. */
export const addValues = (a: Value, b: Value, sign: 1 | -1): Value => {
  if (a.N === undefined || b.N === undefined)
    throw invalid('An operand in the update expression has an incorrect data type');
  return { N: addNumbers(a.N, b.N, sign) };
};
