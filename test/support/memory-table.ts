import { BY_OPERATOR, committing } from '../../domain/audit/record.ts';
import type { Deps } from '../../domain/deps.ts';
import { AuditEntry } from '../../table/entities/audit.ts';
import { createTable, type Send, type Table } from '../../table/table.ts';
import { type Charge, INDEX_KEYS, readCharge, refusedCharges, textOf, unitsOf, writeCharges } from './capacity.ts';
import {
  attributesOf,
  changedBy,
  type Expressions,
  holds,
  type Item,
  plain,
  refuseMalformed,
  updated,
} from './memory-expressions.ts';

/**
 * The subset of DynamoDB that `table/` uses, in memory: the expressions of writes.ts, transactions, the three indexes and the
 * stream. For tests that simulate days or thousands of crashes. The tests over HTTP verify that the real engine accepts these
 * expressions.
 */

interface Refusable extends Error {
  detail?: object;
}

export interface MemoryTable {
  table: Table;
  send: Send;
  /** Items that were written, or that a failed condition kept from being written. */
  written: Written[];
  /** Capacity units that each request took, by physical partition key. */
  charges: Charge[];
  /** Changes since the start, as stream records. */
  records: object[];
  items(entity: string): Item[];
}

interface Read {
  IndexName?: string;
  ConsistentRead?: boolean;
  RequestItems?: Record<string, Read>;
}

/** Throws where the table itself is read as it may have been before: only indexes cannot be read consistently. */
function assertConsistent(operation: string, { RequestItems, ...read }: Read): void {
  if (!['GetItem', 'BatchGetItem', 'Query', 'Scan'].includes(operation)) return;
  for (const { IndexName, ConsistentRead } of RequestItems ? Object.values(RequestItems) : [read])
    if (IndexName === undefined && ConsistentRead !== true) throw new Error(`${operation} is not strongly consistent`);
}

/** Returns the actions of the audit log, oldest first, of one account's or of all; those of operators begin with their kind. */
export const auditIn = ({ items }: Pick<MemoryTable, 'items'>): string[] =>
  items('AUDIT').map((item) => {
    const { actor, action } = AuditEntry.parse(item);
    return actor.kind === 'PLATFORM' ? action : `${actor.kind} ${action}`;
  });

export interface Written {
  entity: string;
  /** On-demand write units: by size, doubled in a transaction, plus those of each changed index. */
  units: number;
}

const PARTITION_KEYS = ['pk', ...new Set(Object.values(INDEX_KEYS).map(([name]) => name))];

const error = (name: string, detail?: object): Error => {
  const made: Refusable = new Error(name);
  made.name = name;
  if (detail) made.detail = detail;
  return made;
};

export function memoryTable(): MemoryTable {
  const stored = new Map<string, Item>();
  /** Items by partition of the table and of its indexes: sweeps read dozens of partitions in which there is nothing. */
  const partitions = new Map<string, Map<string, Item>>();
  const records: object[] = [];
  const written: Written[] = [];
  const charges: Charge[] = [];
  const note = (times: number, key: Item, before: Item | undefined, after: Item | undefined, refused = false) => {
    const pk = String(key.pk);
    const taken = refused ? refusedCharges(times, pk, before) : writeCharges(times, pk, before, after);
    charges.push(...taken);
    written.push({ entity: String((after ?? before)?.entity ?? key.sk), units: unitsOf(taken) });
  };
  const keyOf = ({ pk, sk }: Item) => `${pk}\n${sk}`;

  /** Stores an item in place of another one, or of none; removes it if there is none. */
  function replace(key: string, before: Item | undefined, after: Item | undefined): void {
    for (const name of PARTITION_KEYS) {
      if (before && before[name] !== after?.[name]) partitions.get(`${name} ${before[name]}`)?.delete(key);
      if (after?.[name] === undefined) continue;
      const partition = partitions.get(`${name} ${after[name]}`) ?? new Map<string, Item>();
      partitions.set(`${name} ${after[name]}`, partition.set(key, after));
    }
    if (after) stored.set(key, after);
    else stored.delete(key);
  }

  function apply(kind: string, request: Expressions, times: number): Item | undefined {
    const Keys = plain(request.Key ?? request.Item);
    const key = keyOf(Keys);
    const before = stored.get(key);
    refuseMalformed(request);
    if (!holds(request, before)) {
      note(times, Keys, before, undefined, true);
      const shown = before && request.ReturnValuesOnConditionCheckFailure ? { Item: attributesOf(before) } : {};
      throw error('ConditionalCheckFailedException', shown);
    }
    if (kind === 'ConditionCheck') return before;
    const after = kind === 'Put' ? plain(request.Item) : kind === 'Delete' ? undefined : updated(request, before);
    note(times, Keys, before, after);
    replace(key, before, after);
    if (textOf(before) === textOf(after)) return after;
    records.push({
      eventID: String(records.length),
      eventName: !before ? 'INSERT' : after ? 'MODIFY' : 'REMOVE',
      awsRegion: 'us-east-1',
      // Only when it is read: most tests have no consumer.
      get dynamodb() {
        return {
          ApproximateCreationDateTime: 0,
          Keys: attributesOf({ pk: Keys.pk, sk: Keys.sk }),
          ...(after ? { NewImage: attributesOf(after) } : {}),
          ...(before ? { OldImage: attributesOf(before) } : {}),
        };
      },
    });
    return after;
  }

  function transact(items: Record<string, Expressions>[]): void {
    const parts = items.flatMap((item) => Object.entries(item));
    const touched = new Set(parts.map(([, request]) => keyOf(plain(request.Key ?? request.Item))));
    // DynamoDB rejects two operations on one item.
    if (touched.size < parts.length) throw error('ValidationException');
    const refused = parts.map(([, request]) => {
      const item = stored.get(keyOf(plain(request.Key ?? request.Item)));
      if (holds(request, item)) return { Code: 'None' };
      const shown = item && request.ReturnValuesOnConditionCheckFailure ? { Item: attributesOf(item) } : {};
      return { Code: 'ConditionalCheckFailed', ...shown };
    });
    if (refused.some(({ Code }) => Code !== 'None')) {
      for (const [, request] of parts) note(2, plain(request.Key ?? request.Item), undefined, undefined, true);
      throw error('TransactionCanceledException', { CancellationReasons: refused });
    }
    for (const [kind, request] of parts) apply(kind, request, 2);
  }

  function query(input: Record<string, unknown>): object {
    const values = plain(input.ExpressionAttributeValues as object);
    const index = input.IndexName as keyof typeof INDEX_KEYS | undefined;
    const [pk, sk] = index ? INDEX_KEYS[index] : ['pk', 'sk'];
    const condition = String(input.KeyConditionExpression);
    if (condition.includes('BETWEEN') && String(values[':after']) > String(values[':until']))
      throw error('ValidationException');
    const within = (item: Item): boolean => {
      if (item[pk] !== values[`:${pk}`]) return false;
      const at = String(item[sk]);
      if (condition.includes('BETWEEN')) return at >= String(values[':after']) && at <= String(values[':until']);
      const below = / < (:\w+)$/.exec(condition)?.[1];
      if (below !== undefined) return at < String(values[below]);
      const above = / > (:\w+)$/.exec(condition)?.[1];
      if (above !== undefined) return at > String(values[above]);
      return !condition.includes('>=') || at >= String(values[':from']);
    };
    const startKey = input.ExclusiveStartKey ? plain(input.ExclusiveStartKey as object) : undefined;
    if (startKey && !within(startKey)) throw error('ValidationException');
    const backwards = input.ScanIndexForward === false;
    // The place of a key in the order, whether or not its item is there still.
    const place = (item: Item) => `${item[sk]}\n${keyOf(item)}`;
    const found = [...(partitions.get(`${pk} ${values[`:${pk}`]}`)?.values() ?? [])]
      .filter(within)
      .sort((a, b) => (place(a) < place(b) ? -1 : 1) * (backwards ? -1 : 1));
    const from = startKey && place(startKey);
    const next =
      from === undefined ? 0 : found.findIndex((item) => (backwards ? place(item) < from : place(item) > from));
    const start = next < 0 ? found.length : next;
    const page = found.slice(start, start + Number(input.Limit ?? 1000));
    const partition = `${index ? `${index} ` : ''}${values[`:${pk}`]}`;
    charges.push(readCharge(partition, index === 'list' || !index ? page : [], input.ConsistentRead === true));
    const last = page.at(-1);
    const more = last && start + page.length < found.length;
    const keysIn = (item: Item) => ({ pk: item.pk, sk: item.sk, [pk]: item[pk], [sk]: item[sk] });
    return {
      // The index of what is due has keys only.
      Items: page.map((item) => attributesOf(index === 'due' ? keysIn(item) : item)),
      ...(more ? { LastEvaluatedKey: attributesOf(keysIn(last)) } : {}),
    };
  }

  function scan({ ExclusiveStartKey, Limit = 1000 }: { ExclusiveStartKey?: object; Limit?: number }): object {
    const from = ExclusiveStartKey ? keyOf(plain(ExclusiveStartKey)) : '';
    const keys = [...stored.keys()].filter((key) => key > from).sort();
    const page = keys.slice(0, Limit).flatMap((key): Item[] => [stored.get(key) ?? []].flat());
    const last = page.at(-1);
    const more =
      last && keys.length > page.length ? { LastEvaluatedKey: attributesOf({ pk: last.pk, sk: last.sk }) } : {};
    return { Items: page.map(attributesOf), ...more };
  }

  const KINDS: Record<string, string> = { PutItem: 'Put', UpdateItem: 'Update', DeleteItem: 'Delete' };
  const send = async (operation: string, input: object): Promise<unknown> => {
    assertConsistent(operation, input);
    if (operation === 'Query') return query(input as Record<string, unknown>);
    if (operation === 'Scan') return scan(input);
    if (operation === 'GetItem') {
      const key = plain((input as Expressions).Key);
      const found = stored.get(keyOf(key));
      charges.push(readCharge(String(key.pk), found ? [found] : [], true));
      return found ? { Item: attributesOf(found) } : {};
    }
    if (operation === 'BatchGetItem') {
      const { RequestItems } = input as { RequestItems: Record<string, { Keys: Item[] }> };
      const found = (keys: Item[]) =>
        keys.flatMap((key) => {
          const item = stored.get(keyOf(plain(key)));
          return item ? [attributesOf(item)] : [];
        });
      const Responses = Object.entries(RequestItems).map(([name, { Keys }]) => [name, found(Keys)]);
      return { Responses: Object.fromEntries(Responses) };
    }
    if (operation === 'BatchWriteItem') {
      const { RequestItems } = input as { RequestItems: Record<string, { PutRequest: Expressions }[]> };
      for (const { PutRequest } of Object.values(RequestItems).flat()) apply('Put', PutRequest, 1);
      return {};
    }
    if (operation === 'TransactWriteItems') {
      transact((input as { TransactItems: Record<string, Expressions>[] }).TransactItems);
      return {};
    }
    const kind = KINDS[operation];
    if (!kind) throw new Error(`this table does not know ${operation}`);
    const request: Expressions = input;
    const after = apply(kind, request, 1);
    if (kind !== 'Update' || !after) return {};
    return { Attributes: attributesOf(request.ReturnValues === 'UPDATED_NEW' ? changedBy(request, after) : after) };
  };
  const typed: Send = async <Output>(operation: string, input: object) => (await send(operation, input)) as Output;
  return {
    table: createTable(typed, 'memory'),
    send: typed,
    written,
    charges,
    records,
    items: (entity) => [...stored.values()].filter((item) => item.entity === entity),
  };
}

/** Returns the dependencies with a table in memory, which they commit to as well, as an operator. */
export function inMemory(deps: Deps): Deps {
  const own = { ...deps, table: memoryTable().table };
  return { ...own, commit: committing(own, BY_OPERATOR) };
}
