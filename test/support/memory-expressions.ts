import { isDeepStrictEqual } from 'node:util';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { fromItem, type Item as Stored, toItem } from '../../table/attributes.ts';

export type Item = Record<string, unknown>;

/** The expressions of one request, as DynamoDB has them. */
export interface Expressions {
  Key?: object;
  Item?: object;
  ConditionExpression?: string;
  UpdateExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: object;
  ReturnValuesOnConditionCheckFailure?: string;
  ReturnValues?: string;
}

/**
 * Reads attributes with the table's own converter, which its test compares with the SDK's: that one takes eight times as long, and
 * reads what no entity has.
 */
export function plain(attributes: object | undefined): Item {
  if (!attributes) return {};
  try {
    return fromItem(attributes as Stored);
  } catch {
    return unmarshall(attributes as Parameters<typeof unmarshall>[0]);
  }
}

/** Writes attributes down, as {@link plain} reads them. */
export function attributesOf(item: Item): Stored {
  try {
    return toItem(item);
  } catch {
    return marshall(item, { removeUndefinedValues: true }) as Stored;
  }
}

/**
 * Limits of one expression, of which DynamoDB does not say how it counts operators; we count all that there are.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
 */
const MAX_EXPRESSION_BYTES = 4096;
const MAX_OPERATORS = 300;

/** Throws for what DynamoDB refuses of any item: an expression that is too long, and two changes of one attribute. */
export function refuseMalformed(request: Expressions): void {
  for (const text of [request.ConditionExpression ?? '', request.UpdateExpression ?? '']) {
    const operators = [...text.matchAll(/ (?:=|<>|<|>=|AND|OR|IN) |\w\(/g)].length;
    if (Buffer.byteLength(text) > MAX_EXPRESSION_BYTES || operators > MAX_OPERATORS)
      throw new Error(`Invalid expression of ${text.length} characters with ${operators} operators: ${text}`);
  }
  const { path } = scope(request);
  const changed = clausesOf(request).map(({ clause }) => path(clause.split(' ')[0] ?? '').join('.'));
  const twice = changed.find((name, index) => changed.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`Two document paths overlap with each other: ${twice}`);
}

/** Resolves the paths and values of one expression. */
function scope(request: Expressions) {
  const names = request.ExpressionAttributeNames ?? {};
  const values = plain(request.ExpressionAttributeValues);
  const path = (text: string) => text.split('.').map((part) => names[part] ?? part);
  const read = (item: Item | undefined, text: string): unknown =>
    text.startsWith(':')
      ? values[text]
      : path(text).reduce<unknown>((at, part) => (at as Item | undefined)?.[part], item);
  return { path, read };
}

/** Splits an expression at a word that is in no parentheses. */
function splitOutside(text: string, word: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    else if (text[at] === ')') depth -= 1;
    else if (depth === 0 && text.startsWith(word, at)) {
      parts.push(text.slice(from, at));
      from = at + word.length;
    }
  }
  return [...parts, text.slice(from)];
}

/** Checks a request's condition against an item. */
export function holds(request: Expressions, item: Item | undefined): boolean {
  const { read } = scope(request);
  const term = (text: string): boolean => {
    const all = splitOutside(text, ' AND ');
    if (all.length > 1) return all.every(term);
    const any = splitOutside(text, ' OR ');
    if (any.length > 1) return any.some(term);
    if (text.startsWith('(')) return term(text.slice(1, -1));
    const present = /^attribute_(not_)?exists\((\S+)\)$/.exec(text);
    if (present?.[2]) return (read(item, present[2]) !== undefined) === !present[1];
    const member = /^(\S+) IN \((.+)\)$/.exec(text);
    if (member?.[1] && member[2]) {
      const value = read(item, member[1]);
      return member[2].split(', ').some((one) => read(item, one) === value);
    }
    const compared = /^(\S+) (=|<>|<|>=) (\S+)$/.exec(text);
    if (!compared?.[1] || !compared[3]) throw new Error(`this table does not understand: ${text}`);
    const [left, right] = [read(item, compared[1]), read(item, compared[3])];
    if (compared[2] === '=') return left !== undefined && isDeepStrictEqual(left, right);
    if (compared[2] === '<>') return !isDeepStrictEqual(left, right);
    if (left === undefined || right === undefined) return false;
    return compared[2] === '<' ? Number(left) < Number(right) : Number(left) >= Number(right);
  };
  if (request.ConditionExpression === '')
    throw new Error('Invalid ConditionExpression: The expression can not be empty;');
  return request.ConditionExpression === undefined || term(request.ConditionExpression);
}

/** Returns the clauses of an update: one for each attribute that it changes, which is the clause's first word. */
function clausesOf({ UpdateExpression = '' }: Expressions): { verb: string; clause: string }[] {
  const parts = [...UpdateExpression.matchAll(/(SET|ADD|REMOVE) (.+?)(?= ADD | REMOVE |$)/g)];
  // Commas inside of functions do not separate clauses.
  return parts.flatMap(([, verb = '', body = '']) => body.split(/, (?![^(]*\))/).map((clause) => ({ verb, clause })));
}

/** Returns the attributes that an update changed, each of them whole. */
export function changedBy(request: Expressions, after: Item): Item {
  const { path } = scope(request);
  const names = clausesOf(request).map(({ clause }) => path(clause.split(/[ []/)[0] ?? '')[0] ?? '');
  return Object.fromEntries(names.flatMap((name) => (name in after ? [[name, after[name]]] : [])));
}

/** Returns the item as a request's update makes it. */
export function updated(request: Expressions, before: Item | undefined): Item {
  const item: Item = structuredClone(before ?? plain(request.Key));
  const { path, read } = scope(request);
  const parentOf = (text: string) => {
    const parts = path(text);
    const last = parts.pop() ?? '';
    const parent = parts.reduce<Item>((at, part) => at[part] as Item, item);
    return { parent, last };
  };
  // The indexes of a list are those before the change: later elements go first.
  const elements: { list: unknown[]; index: number }[] = [];
  for (const { verb, clause } of clausesOf(request)) {
    const [target = '', ...rest] = clause.split(' ');
    const [, name = target, index] = /^(.+)\[(\d+)\]$/.exec(target) ?? [];
    const { parent, last } = parentOf(name);
    if (index !== undefined) elements.push({ list: parent[last] as unknown[], index: Number(index) });
    else if (verb === 'REMOVE') delete parent[last];
    else if (verb === 'ADD') parent[last] = Number(read(item, target) ?? 0) + Number(read(item, rest[0] ?? ''));
    else {
      const appended = /list_append\(if_not_exists\(\S+, \S+\), (\S+)\)/.exec(clause)?.[1];
      const once = /^if_not_exists\(\S+, (\S+)\)/.exec(rest.slice(1).join(' '))?.[1];
      const value = once
        ? (read(item, target) ?? read(item, once))
        : appended
          ? [...((read(item, target) as unknown[] | undefined) ?? []), ...(read(item, appended) as unknown[])]
          : read(item, rest[1] ?? '');
      parent[last] = value;
    }
  }
  for (const { list, index } of elements.sort((a, b) => b.index - a.index)) list.splice(index, 1);
  return item;
}
