import { BY_OPERATOR, committing } from '../../domain/audit/record.ts';
import type { Deps } from '../../domain/deps.ts';
import { DynamoDbError, invalid } from '../../local/emulators/dynamodb/errors.ts';
import { holds } from '../../local/emulators/dynamodb/expressions/conditions.ts';
import { parseCondition } from '../../local/emulators/dynamodb/expressions/parser.ts';
import { batchWrite, createProjection, write } from '../../local/emulators/dynamodb/items.ts';
import { keyRange } from '../../local/emulators/dynamodb/key-conditions.ts';
import { type ItemStorage, Storage, type Stored } from '../../local/emulators/dynamodb/storage.ts';
import { defineTable } from '../../local/emulators/dynamodb/tables.ts';
import { transactWrite } from '../../local/emulators/dynamodb/transactions.ts';
import { type Item, sizeOfItem } from '../../local/emulators/dynamodb/values.ts';
import { type Item as EntityItem, fromItem } from '../../table/attributes.ts';
import { AuditEntry } from '../../table/entities/audit.ts';
import { createTable, type Send, type Table } from '../../table/table.ts';
import { type Charge, INDEX_KEYS, type Index, readCharge, refusedCharges, unitsOf, writeCharges } from './capacity.ts';

/**
 * The operations of DynamoDB that `table/` uses, in memory: the expressions and writes of the local run's table, on a map in place of a
 * database. For tests that simulate days or thousands of crashes.
 */

export interface MemoryTable {
  table: Table;
  send: Send;
  /** Items that were written, or that a failed condition kept from being written. */
  written: Written[];
  /** Capacity units that each request took, by physical partition key. */
  charges: Charge[];
  /** Changes since the start, as stream records. */
  records: object[];
  items(entity: string): Record<string, unknown>[];
}

export interface Written {
  entity: string;
  /** On-demand write units: by size, doubled in a transaction, plus those of each changed index. */
  units: number;
}

/** A request, or a part of one that concerns one item. */
interface Request {
  [parameter: string]: unknown;
  IndexName?: Index;
  ConsistentRead?: boolean;
  ExpressionAttributeValues?: Item;
  Key?: Item;
  Item?: Item;
}
type Input = Request & {
  RequestItems?: Record<string, Request & { Keys: Item[] }>;
  TransactItems?: Record<string, Request>[];
  ExclusiveStartKey?: Item;
  Limit?: number;
};

/** Throws where the table itself is read as it may have been before: only indexes cannot be read consistently. */
function assertConsistent(operation: string, { RequestItems, ...read }: Input): void {
  if (!['GetItem', 'BatchGetItem', 'Query', 'Scan'].includes(operation)) return;
  for (const { IndexName, ConsistentRead } of RequestItems ? Object.values(RequestItems) : [read])
    if (IndexName === undefined && ConsistentRead !== true) throw new Error(`${operation} is not strongly consistent`);
}

/**
 * The most operators of an expression. DynamoDB does not say how it counts them; we count all that there are.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
 */
const MAX_OPERATORS = 300;

function assertFewOperators({ ConditionExpression = '', UpdateExpression = '' }: Request): void {
  for (const text of [String(ConditionExpression), String(UpdateExpression)])
    if ([...text.matchAll(/ (?:=|<>|<|>=|AND|OR|IN) |\w\(/g)].length > MAX_OPERATORS)
      throw new Error(`Too many operators: ${text}`);
}

/** Returns the actions of the audit log, oldest first, of one account's or of all; those of operators begin with their kind. */
export const auditIn = ({ items }: Pick<MemoryTable, 'items'>): string[] =>
  items('AUDIT').map((item) => {
    const { actor, action } = AuditEntry.parse(item);
    return actor.kind === 'PLATFORM' ? action : `${actor.kind} ${action}`;
  });

const NAME = 'memory';
const [PK, SK] = ['pk', 'sk'] as const;
const PARTITION_KEYS = [PK, ...new Set(Object.values(INDEX_KEYS).map(([name]) => name))];
const keySchema = ([hash, range]: readonly [string, string]) => [
  { AttributeName: hash, KeyType: 'HASH' },
  { AttributeName: range, KeyType: 'RANGE' },
];
/** The table whose schema the engine checks. Its database stays empty. */
const TABLE = new Storage(undefined).save(
  defineTable(
    {
      TableName: NAME,
      AttributeDefinitions: [...new Set([PK, SK, ...Object.values(INDEX_KEYS).flat()])].map((AttributeName) => ({
        AttributeName,
        AttributeType: 'S',
      })),
      KeySchema: keySchema([PK, SK]),
      GlobalSecondaryIndexes: Object.entries(INDEX_KEYS).map(([IndexName, keys]) => ({
        IndexName,
        KeySchema: keySchema(keys),
        Projection: { ProjectionType: IndexName === 'list' ? 'ALL' : 'KEYS_ONLY' },
      })),
    },
    1,
    0,
  ),
);

const textAt = (item: Item | undefined, name: string): string => item?.[name]?.S ?? '';
const keyOf = (item: Item | undefined): string => `${textAt(item, PK)}\n${textAt(item, SK)}`;
const keysIn = (item: Item, names: readonly string[]): Item =>
  Object.fromEntries(names.flatMap((name) => (item[name] ? [[name, item[name]]] : [])));

/** Returns the writes of a request by kind. */
function writesIn(operation: string, { TransactItems, RequestItems, ...single }: Input): [string, Request][] {
  if (TransactItems) return TransactItems.flatMap((item) => Object.entries(item));
  if (!RequestItems) return [[operation.replace('Item', ''), single]];
  const parts = Object.values(RequestItems).flat() as unknown as { PutRequest: Request }[];
  return parts.map(({ PutRequest }) => ['Put', PutRequest]);
}

export function memoryTable(): MemoryTable {
  const stored = new Map<string, Stored>();
  /** Items by partition of the table and of its indexes: sweeps read dozens of partitions in which there is nothing. */
  const partitions = new Map<string, Map<string, Stored>>();
  const records: object[] = [];
  const written: Written[] = [];
  const charges: Charge[] = [];

  /** Stores an item in place of another one, or of none; removes it if there is none. */
  function replace(key: string, after: Stored | undefined): void {
    const before = stored.get(key)?.item;
    for (const name of PARTITION_KEYS) {
      const [from, to] = [textAt(before, name), textAt(after?.item, name)];
      if (from !== to) partitions.get(`${name} ${from}`)?.delete(key);
      if (!after || !to) continue;
      const partition = partitions.get(`${name} ${to}`) ?? new Map<string, Stored>();
      partitions.set(`${name} ${to}`, partition.set(key, after));
    }
    if (after) stored.set(key, after);
    else stored.delete(key);
  }

  const storage: ItemStorage = {
    tableOf: () => TABLE,
    atomically: (act) => act(),
    read: (_, { pk, sk }) => stored.get(`${pk}\n${sk}`),
    write(_, { key: { pk, sk }, before, after }) {
      replace(`${pk}\n${sk}`, after && { item: after, size: sizeOfItem(after) });
      records.push({
        eventID: String(records.length),
        eventName: !before ? 'INSERT' : after ? 'MODIFY' : 'REMOVE',
        awsRegion: 'us-east-1',
        dynamodb: {
          ApproximateCreationDateTime: 0,
          Keys: { [PK]: { S: pk }, [SK]: { S: sk } },
          ...(after ? { NewImage: after } : {}),
          ...(before ? { OldImage: before } : {}),
        },
      });
    },
  };

  function query(input: Input): object {
    const { IndexName: index, ExclusiveStartKey: startKey, ConsistentRead, Limit = 1000 } = input;
    const { ExpressionAttributeValues: values } = input;
    const [pk, sk] = index ? INDEX_KEYS[index] : [PK, SK];
    const hash = textAt(values, `:${pk}`);
    const hasItems = index === 'list' || !index;
    const charge = (page: readonly Stored[]) =>
      charges.push(readCharge(`${index ? `${index} ` : ''}${hash}`, hasItems ? page : [], ConsistentRead === true));
    const partition = partitions.get(`${pk} ${hash}`);
    if (!partition?.size && textAt(values, ':after') <= textAt(values, ':until')) {
      charge([]);
      return { Items: [] };
    }
    const condition = parseCondition(String(input.KeyConditionExpression), 'KeyConditionExpression');
    const { scope } = createProjection(input, { KeyConditionExpression: condition });
    keyRange(condition, scope, { keys: { hash: pk, range: sk }, types: TABLE.types }, { hash: '', columns: [] });
    const within = (item: Item): boolean => holds(condition.tree, item, scope);
    if (startKey && !within(startKey)) throw invalid('The provided starting key does not match the predicate');
    const order = input.ScanIndexForward === false ? -1 : 1;
    // The place of a key in the order, whether or not its item is there still.
    const place = (item: Item) => `${textAt(item, sk)}\n${keyOf(item)}`;
    const isAfter = (one: string, other: string) => (one > other ? order : one < other ? -order : 0) > 0;
    const start = startKey && place(startKey);
    const found = [...(partition?.values() ?? [])]
      .filter(({ item }) => within(item))
      .map((each) => ({ ...each, place: place(each.item) }))
      .filter((each) => start === undefined || isAfter(each.place, start))
      .sort((a, b) => (isAfter(a.place, b.place) ? 1 : -1));
    const page = found.slice(0, Limit);
    charge(page);
    const keys = (item: Item) => keysIn(item, [PK, SK, pk, sk]);
    const last = page.at(-1);
    return {
      Items: page.map(({ item }) => (hasItems ? item : keys(item))),
      ...(last && found.length > page.length ? { LastEvaluatedKey: keys(last.item) } : {}),
    };
  }

  function scan({ ExclusiveStartKey, Limit = 1000 }: Input): object {
    const from = ExclusiveStartKey ? keyOf(ExclusiveStartKey) : '';
    const keys = [...stored.keys()].filter((key) => key > from).sort();
    const page = keys.slice(0, Limit).flatMap((key): Item[] => [stored.get(key)?.item ?? []].flat());
    const last = page.at(-1);
    const more = last && keys.length > page.length ? { LastEvaluatedKey: keysIn(last, [PK, SK]) } : {};
    return { Items: page, ...more };
  }

  const reads: Readonly<Record<string, (input: Input) => object>> = {
    Query: query,
    Scan: scan,
    GetItem({ Key }) {
      const found = stored.get(keyOf(Key));
      charges.push(readCharge(textAt(Key, PK), found ? [found] : [], true));
      return found ? { Item: found.item } : {};
    },
    BatchGetItem({ RequestItems = {} }) {
      const found = (keys: Item[]) => keys.flatMap((key) => stored.get(keyOf(key))?.item ?? []);
      const Responses = Object.entries(RequestItems).map(([name, { Keys }]) => [name, found(Keys)]);
      return { Responses: Object.fromEntries(Responses) };
    },
  };
  const writes: Readonly<Record<string, (input: Input) => object>> = {
    PutItem: (input) => write(storage, 'Put', input, 0),
    UpdateItem: (input) => write(storage, 'Update', input, 0),
    DeleteItem: (input) => write(storage, 'Delete', input, 0),
    BatchWriteItem: (input) => batchWrite(storage, input, 0),
    // Without its token, which no simulation repeats.
    TransactWriteItems: ({ ClientRequestToken: _, ...input }) => transactWrite(storage, new Map(), input, 0),
  };

  /** Performs writes and notes what they cost. */
  function counted(operation: string, input: Input): object {
    const perform = writes[operation];
    if (!perform) throw new Error(`this table does not know ${operation}`);
    const times = operation === 'TransactWriteItems' ? 2 : 1;
    const parts = writesIn(operation, input).map(([kind, request]) => {
      assertFewOperators(request);
      const Keys = request.Key ?? request.Item;
      return { kind, key: keyOf(Keys), pk: textAt(Keys, PK), sk: textAt(Keys, SK), before: stored.get(keyOf(Keys)) };
    });
    const note = (taken: Charge[], item: Item | undefined, sk: string): void => {
      charges.push(...taken);
      written.push({ entity: textAt(item, 'entity') || sk, units: unitsOf(taken) });
    };
    try {
      const response = perform(input);
      for (const { kind, key, pk, sk, before } of parts) {
        const after = stored.get(key);
        if (kind !== 'ConditionCheck') note(writeCharges(times, pk, before, after), (after ?? before)?.item, sk);
      }
      return response;
    } catch (error) {
      if (!(error instanceof DynamoDbError)) throw error;
      if (error.name !== 'ValidationException')
        for (const { pk, sk, before } of parts) note(refusedCharges(times, pk, before), before?.item, sk);
      // As the platform's AWS client reports an error.
      throw Object.assign(error, { detail: error.fields });
    }
  }

  const send: Send = async <Output>(operation: string, given: object): Promise<Output> => {
    const input: Input = { TableName: NAME, ...given };
    assertConsistent(operation, input);
    return (reads[operation]?.(input) ?? counted(operation, input)) as Output;
  };
  return {
    table: createTable(send, NAME),
    send,
    written,
    charges,
    records,
    items: (entity) =>
      [...stored.values()].flatMap(({ item }) =>
        textAt(item, 'entity') === entity ? [fromItem(item as EntityItem)] : [],
      ),
  };
}

/** Returns the dependencies with a table in memory, which they commit to as well, as an operator. */
export function inMemory(deps: Deps): Deps {
  const own = { ...deps, table: memoryTable().table };
  return { ...own, commit: committing(own, BY_OPERATOR) };
}
