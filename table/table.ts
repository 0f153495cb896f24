import { fromItem, type Item, toItem } from './attributes.ts';
import { putAll } from './batch-writes.ts';
import type { Entity } from './entity.ts';
import { listOf } from './lists.ts';
import { type DynamoDbError, failedItem } from './refusals.ts';
import { backoffAfterConflict, MAX_CONFLICT_ATTEMPTS, transact } from './transact.ts';
import type { Write } from './writes.ts';

/** Sends an operation to DynamoDB: `callAws('dynamodb', …)` in production, a counting wrapper in tests. */
export type Send = <Output>(operation: string, input: object, policy?: SendPolicy) => Promise<Output>;

export interface SendPolicy {
  /** True for a write that must not be applied twice: where its answer is lost, it is not repeated. */
  once?: boolean | undefined;
}

export interface PageRequest {
  limit: number;
  offset: number;
  /** The sort key of the item behind which the list begins: in most lists, its id. */
  cursor?: string | undefined;
}

export interface Page<T> {
  items: T[];
  hasMore: boolean;
}

/** The key of an item in the table. */
export interface ItemKey {
  pk: string;
  sk: string;
}

/** A page of items as they are stored. */
interface StoredPage {
  limit: number;
  after?: ItemKey | undefined;
}

/** An entry of the `due` index. */
export interface Due extends ItemKey {
  duePk: string;
  dueAt: string;
}

export interface DueRequest {
  /** The latest time that is due, in ISO 8601. */
  until: string;
  limit: number;
  /** Passes over what was due until then, in ISO 8601. */
  after?: string | undefined;
  /** The last entry of the page before. */
  from?: Due | undefined;
}

export interface Table {
  /** One item by its key, strongly consistent; undefined when there is none. One round trip. */
  get<T, K>(entity: Entity<T, K>, of: K): Promise<T | undefined>;
  /**
   * A page of a list, newest first. One round trip; past an offset, one more to find where the page begins. The list of an entity
   * without a place in the index is a partition of the table, strongly consistent; so it is for `each` and `since`.
   */
  list<T, K>(entity: Entity<T, K>, listPk: string, page: PageRequest): Promise<Page<T>>;
  /** A whole list, oldest first, beginning after a sort key: for sums over it, not for requests. */
  each<T, K>(entity: Entity<T, K>, listPk: string, after?: string): AsyncIterable<T>;
  /** Everything in one partition of the table, newest id first, strongly consistent. For partitions that stay small, or the first of one. */
  all<T, K>(entity: Entity<T, K>, pk: string, part?: { limit?: number; oldestFirst?: boolean }): Promise<T[]>;
  /**
   * A partition of the table, newest first and strongly consistent, as far as it is read: for partitions of any size.
   * @param part.before a sort key that all items are below
   * @param part.pageSize items of one round trip
   */
  newest<T, K>(
    entity: Entity<T, K>,
    pk: string,
    part: { before?: string | undefined; pageSize: number },
  ): AsyncIterable<T>;
  /** The items of a list whose sort key is at least `from`, oldest first, at most `limit`. */
  since<T, K>(entity: Entity<T, K>, listPk: string, from: string, limit: number): Promise<T[]>;
  /** Applies one write and returns the item as it then is. Throws what the write's `onConditionFailed` makes. */
  write<T, K>(entity: Entity<T, K>, write: Write): Promise<T | undefined>;
  /** Applies one write and returns what it changed of the item, or all of it, unparsed. For items that are written often. */
  updateReturningChanged(write: Write, returns?: 'ALL_NEW'): Promise<Record<string, unknown>>;
  /**
   * Puts items in one request, at most 25, each for itself: any part of them may be there where it throws. They replace what has
   * their keys, so that a repetition changes nothing.
   * @param items whole items, by `toStoredItem`
   */
  putAll(items: readonly Item[]): Promise<void>;
  /** Applies all writes or none; throws the error of the first whose condition failed. Conflicts are retried out of sight. */
  transact(writes: readonly Write[]): Promise<void>;
  /** Returns a page of a partition of the `due` index: the keys whose time has come, oldest first. */
  due(duePk: string, page: DueRequest): Promise<Due[]>;
  /** Reads an item as `get` does, by its key, such as the `due` index has it. */
  find<T, K>(entity: Entity<T, K>, key: ItemKey): Promise<T | undefined>;
  /** Returns some items of the whole table as they are stored, and the key after which there are more. For migrations. */
  scan(page: StoredPage): Promise<{ items: Item[]; next?: ItemKey }>;
  /** Returns some items of a partition as they are stored, whatever they are, and the key after which there are more. */
  partition(pk: string, page: StoredPage): Promise<{ items: Item[]; next?: ItemKey }>;
  /** Returns an item by its key as it is stored, unparsed, strongly consistent. For items that may not parse. */
  getByKey(key: ItemKey): Promise<Item | undefined>;
}

/** The most items that `all` returns. The partitions that it is used for stay far below. */
const MAX_ITEMS = 1000;

/** Returns the part of a query that chooses a whole partition. */
const ofPartition = (pk: string) => ({
  KeyConditionExpression: 'pk = :pk',
  ExpressionAttributeValues: toItem({ ':pk': pk }),
});

/** True if a transaction holds the item right now. */
const isHeld = (error: unknown): boolean => error instanceof Error && error.name === 'TransactionConflictException';

/** Returns what a write's caller is told: its own error where its condition failed, and others as they are. */
function meaningOf(error: unknown, { onConditionFailed }: Write): unknown {
  if (!(error instanceof Error) || error.name !== 'ConditionalCheckFailedException') return error;
  const { detail }: DynamoDbError = error;
  return onConditionFailed(failedItem(detail?.Item));
}

/** The single table behind everything, as entities. All expression strings are made in expressions.ts and here. */
export function createTable(send: Send, TableName: string): Table {
  const parse = <T, K>(entity: Entity<T, K>, item: Item): T => entity.parse(fromItem(item));

  /** The key of the last item to skip, read without the items where an index has keys only; undefined when the list is shorter. */
  async function skip(list: object, count: number): Promise<Item | undefined> {
    let left = count;
    let from: Item | undefined;
    while (left > 0) {
      const { Items, LastEvaluatedKey } = await send<{ Items: Item[]; LastEvaluatedKey?: Item }>('Query', {
        TableName,
        ...list,
        Limit: left,
        ...(from ? { ExclusiveStartKey: from } : {}),
      });
      left -= Items.length;
      from = LastEvaluatedKey;
      if (!from) return undefined;
    }
    return from;
  }

  /** Applies one write outside a transaction and returns the requested attributes of the item. */
  async function apply(write: Write, returns: 'ALL_NEW' | 'UPDATED_NEW'): Promise<Item | undefined> {
    if (write.kind === 'ConditionCheck') throw new Error('A check is part of a transaction, and nothing alone');
    const operation = { Put: 'PutItem', Update: 'UpdateItem', Delete: 'DeleteItem' }[write.kind];
    const ReturnValues = write.kind === 'Update' ? { ReturnValues: returns } : {};
    const input = { TableName, ...write.input, ...ReturnValues };
    for (let attempt = 1; ; attempt += 1) {
      try {
        return (await send<{ Attributes?: Item }>(operation, input, { once: write.once })).Attributes;
      } catch (error) {
        if (!isHeld(error) || attempt === MAX_CONFLICT_ATTEMPTS) throw meaningOf(error, write);
        await backoffAfterConflict(attempt);
      }
    }
  }

  /** Follows a query over its pages (1 MB each) until there are `limit` items or no more. */
  async function query(input: object, limit: number, after?: Item): Promise<Item[]> {
    const found: Item[] = [];
    let from = after;
    do {
      const page = { Limit: limit - found.length, ...(from ? { ExclusiveStartKey: from } : {}) };
      const request = { TableName, ...input, ...page };
      const { Items, LastEvaluatedKey } = await send<{ Items: Item[]; LastEvaluatedKey?: Item }>('Query', request);
      found.push(...Items);
      from = LastEvaluatedKey;
    } while (from && found.length < limit);
    return found;
  }

  /** Follows a query over its pages: of 1 MB each, or of as many items as its `Limit` says. */
  async function* items(input: object): AsyncIterable<Item> {
    let from: Item | undefined;
    do {
      const request = { TableName, ...input, ...(from ? { ExclusiveStartKey: from } : {}) };
      const { Items, LastEvaluatedKey } = await send<{ Items: Item[]; LastEvaluatedKey?: Item }>('Query', request);
      yield* Items;
      from = LastEvaluatedKey;
    } while (from);
  }

  async function getByKey({ pk, sk }: ItemKey): Promise<Item | undefined> {
    const input = { TableName, Key: toItem({ pk, sk }), ConsistentRead: true };
    return (await send<{ Item?: Item }>('GetItem', input)).Item;
  }

  /** Returns a page of items as they are stored. */
  async function storedPage(operation: 'Scan' | 'Query', input: object, { limit, after }: StoredPage) {
    const from = after ? { ExclusiveStartKey: toItem({ pk: after.pk, sk: after.sk }) } : {};
    const request = { TableName, ...input, Limit: limit, ConsistentRead: true, ...from };
    const { Items, LastEvaluatedKey } = await send<{ Items: Item[]; LastEvaluatedKey?: Item }>(operation, request);
    if (!LastEvaluatedKey) return { items: Items };
    const { pk, sk } = fromItem(LastEvaluatedKey);
    return { items: Items, next: { pk: String(pk), sk: String(sk) } };
  }

  async function find<T, K>(entity: Entity<T, K>, key: ItemKey): Promise<T | undefined> {
    const item = await getByKey(key);
    return item && parse(entity, item);
  }

  return {
    find,
    getByKey,
    get: (entity, of) => find(entity, entity.key(of)),

    async list(entity, listPk, { limit, offset, cursor }) {
      const { pk, sk, from, keysFrom } = listOf(entity);
      const list = {
        KeyConditionExpression: `${pk} = :${pk}${cursor === undefined ? '' : ` AND ${sk} < :cursor`}`,
        ExpressionAttributeValues: toItem({
          [`:${pk}`]: listPk,
          ...(cursor === undefined ? {} : { ':cursor': cursor }),
        }),
        ScanIndexForward: false,
      };
      const last = offset > 0 ? await skip({ ...keysFrom, ...list }, offset) : undefined;
      if (offset > 0 && !last) return { items: [], hasMore: false };
      const found = await query({ ...from, ...list }, limit + 1, last);
      return { items: found.slice(0, limit).map((item) => parse(entity, item)), hasMore: found.length > limit };
    },

    async *each(entity, listPk, after = '') {
      const { pk, sk, from } = listOf(entity);
      const input = {
        ...from,
        KeyConditionExpression: `${pk} = :${pk} AND ${sk} > :after`,
        ExpressionAttributeValues: toItem({ [`:${pk}`]: listPk, ':after': after || ' ' }),
      };
      for await (const item of items(input)) yield parse(entity, item);
    },

    async all(entity, pk, { limit = MAX_ITEMS, oldestFirst = false } = {}) {
      const input = { ...ofPartition(pk), ConsistentRead: true, ScanIndexForward: oldestFirst };
      return (await query(input, limit)).map((item) => parse(entity, item));
    },

    async *newest(entity, pk, { before, pageSize }) {
      const input = {
        KeyConditionExpression: before === undefined ? 'pk = :pk' : 'pk = :pk AND sk < :before',
        ExpressionAttributeValues: toItem({ ':pk': pk, ':before': before }),
        ConsistentRead: true,
        ScanIndexForward: false,
        Limit: pageSize,
      };
      for await (const item of items(input)) yield parse(entity, item);
    },

    async since(entity, listPk, first, limit) {
      const { pk, sk, from } = listOf(entity);
      const input = {
        ...from,
        KeyConditionExpression: `${pk} = :${pk} AND ${sk} >= :from`,
        ExpressionAttributeValues: toItem({ [`:${pk}`]: listPk, ':from': first }),
      };
      return (await query(input, limit)).map((item) => parse(entity, item));
    },

    async write(entity, write) {
      const attributes = await apply(write, 'ALL_NEW');
      return attributes && parse(entity, attributes);
    },

    async updateReturningChanged(write, returns) {
      const attributes = await apply(write, returns ?? 'UPDATED_NEW');
      return attributes ? fromItem(attributes) : {};
    },

    putAll: (items) => putAll(send, TableName, items),
    transact: (writes) => transact(send, TableName, writes),

    async due(duePk, { until, limit, after = '', from }) {
      // Times compare as text: what follows one closely is the text itself and a character more.
      const values = { ':duePk': duePk, ':after': `${after} `, ':until': until };
      // DynamoDB refuses an empty range.
      if (values[':after'] > until) return [];
      const Items = await query(
        {
          IndexName: 'due',
          KeyConditionExpression: 'duePk = :duePk AND dueAt BETWEEN :after AND :until',
          ExpressionAttributeValues: toItem(values),
        },
        limit,
        from && toItem({ pk: from.pk, sk: from.sk, duePk, dueAt: from.dueAt }),
      );
      return Items.map((item) => {
        const { pk, sk, dueAt } = fromItem(item);
        return { pk: String(pk), sk: String(sk), duePk, dueAt: String(dueAt) };
      });
    },

    scan: (page) => storedPage('Scan', {}, page),
    partition: (pk, page) => storedPage('Query', ofPartition(pk), page),
  };
}
