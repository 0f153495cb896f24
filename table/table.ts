import { fromItem, type Item, toItem } from './attributes.ts';
import { putAll } from './batch-writes.ts';
import type { Entity } from './entity.ts';
import { apply, transact } from './transact.ts';
import type { Write } from './writes.ts';

/** Sends an operation to DynamoDB: `callAws('dynamodb', …)` in production, a counting wrapper in tests. */
export type Send = <Output>(operation: string, input: object, policy?: SendPolicy) => Promise<Output>;

export interface SendPolicy {
  /** True for a write that must not be applied twice. It is not retried if its response is lost. */
  once?: boolean | undefined;
}

export interface PageRequest {
  limit: number;
  offset: number;
  /** The sort key of the item after which the page starts: in most lists, its id. */
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

/** The request for a page of unparsed items. */
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
  /** The latest due time to return, in ISO 8601. */
  until: string;
  limit: number;
  /** Skips entries that were due up to this time, in ISO 8601. */
  after?: string | undefined;
  /** The last entry of the previous page. */
  from?: Due | undefined;
}

export interface Table {
  /** Returns an item by its key, strongly consistent; undefined if there is none. One round trip. */
  get<T, K>(entity: Entity<T, K>, id: K): Promise<T | undefined>;
  /**
   * Returns a page of a list, newest first. One round trip, and another one with an offset. If an entity is not in the list index, its
   * list is a partition of the table and strongly consistent. The same applies to `each` and `since`.
   */
  list<T, K>(entity: Entity<T, K>, listPk: string, page: PageRequest): Promise<Page<T>>;
  /** Iterates over a whole list, oldest first, starting after a sort key. For background work, not for requests. */
  each<T, K>(entity: Entity<T, K>, listPk: string, after?: string): AsyncIterable<T>;
  /** Returns a whole partition of the table, newest id first, strongly consistent. For partitions that stay small, or with a `limit`. */
  all<T, K>(entity: Entity<T, K>, pk: string, part?: { limit?: number; oldestFirst?: boolean }): Promise<T[]>;
  /**
   * Iterates over a partition of the table, newest first, strongly consistent. For partitions of any size.
   * @param part.before returns only items with a smaller sort key
   * @param part.pageSize the number of items per round trip
   */
  newest<T, K>(
    entity: Entity<T, K>,
    pk: string,
    part: { before?: string | undefined; pageSize: number },
  ): AsyncIterable<T>;
  /** Returns at most `limit` items of a list with a sort key of at least `from`, oldest first. */
  since<T, K>(entity: Entity<T, K>, listPk: string, from: string, limit: number): Promise<T[]>;
  /** Applies a write and returns the resulting item. Throws the error of the write's `onConditionFailed`. */
  write<T, K>(entity: Entity<T, K>, write: Write): Promise<T | undefined>;
  /** Applies a write and returns the changed attributes, or all of them, unparsed. For items that are written often. */
  updateReturningChanged(write: Write, returns?: 'ALL_NEW'): Promise<Record<string, unknown>>;
  /**
   * Puts at most 25 items in one request, each independently: if it throws, any of them may have been written. They replace existing
   * items, so that a repetition is safe.
   * @param items whole items, from `toStoredItem`
   */
  putAll(items: readonly Item[]): Promise<void>;
  /** Applies all writes or none, and retries conflicts. Throws the error of the first write whose condition failed. */
  transact(writes: readonly Write[]): Promise<void>;
  /** Returns a page of a partition of the `due` index: the keys of due items, oldest first. */
  due(duePk: string, page: DueRequest): Promise<Due[]>;
  /** Returns an item like `get`, by its physical key, which the `due` index has. */
  find<T, K>(entity: Entity<T, K>, key: ItemKey): Promise<T | undefined>;
  /** Returns a page of unparsed items of the whole table, and the key after which there are more. For migrations. */
  scan(page: StoredPage): Promise<{ items: Item[]; next?: ItemKey }>;
  /** Returns a page of unparsed items of a partition, and the key after which there are more. */
  partition(pk: string, page: StoredPage): Promise<{ items: Item[]; next?: ItemKey }>;
  /** Returns an unparsed item by its physical key, strongly consistent. For items that may not parse. */
  getByKey(key: ItemKey): Promise<Item | undefined>;
}

/** Returns the parameters of a query for a whole partition. */
const ofPartition = (pk: string) => ({
  KeyConditionExpression: 'pk = :pk',
  ExpressionAttributeValues: toItem({ ':pk': pk }),
});

/** Returns the key attributes of an entity's list, and the parameters of a query for its items, or only for their keys. */
const listOf = <T, K>({ list }: Entity<T, K>) =>
  list
    ? { pk: 'listPk', sk: 'listSk', from: { IndexName: 'list' }, keysFrom: { IndexName: 'order' } }
    : {
        pk: 'pk',
        sk: 'sk',
        from: { ConsistentRead: true },
        keysFrom: { ConsistentRead: true, ProjectionExpression: 'pk, sk' },
      };

/** Creates the access to the table by entities. */
export function createTable(send: Send, TableName: string): Table {
  const parse = <T, K>(entity: Entity<T, K>, item: Item): T => entity.parse(fromItem(item));

  /** Reads one page, of 1 MB or of `Limit` items. @param after the key of the last item before it */
  const readPage = (input: object, after?: Item, operation: 'Query' | 'Scan' = 'Query') =>
    send<{ Items: Item[]; LastEvaluatedKey?: Item }>(operation, {
      TableName,
      ...input,
      ...(after ? { ExclusiveStartKey: after } : {}),
    });

  /** Returns the key of the last item to skip; undefined if the list is shorter. Reads only keys, from the index that has no more. */
  async function skip(list: object, count: number): Promise<Item | undefined> {
    let remaining = count;
    let from: Item | undefined;
    while (remaining > 0) {
      const { Items, LastEvaluatedKey } = await readPage({ ...list, Limit: remaining }, from);
      remaining -= Items.length;
      from = LastEvaluatedKey;
      if (!from) return undefined;
    }
    return from;
  }

  /** Reads the pages of a query (1 MB each) until there are `limit` items or no more. */
  async function query(input: object, limit: number, after?: Item): Promise<Item[]> {
    const found: Item[] = [];
    let from = after;
    do {
      const { Items, LastEvaluatedKey } = await readPage({ ...input, Limit: limit - found.length }, from);
      found.push(...Items);
      from = LastEvaluatedKey;
    } while (from && found.length < limit);
    return found;
  }

  /** Iterates over all pages of a query, of 1 MB each or of `Limit` items. */
  async function* items(input: object): AsyncIterable<Item> {
    let from: Item | undefined;
    do {
      const { Items, LastEvaluatedKey } = await readPage(input, from);
      yield* Items;
      from = LastEvaluatedKey;
    } while (from);
  }

  async function getByKey({ pk, sk }: ItemKey): Promise<Item | undefined> {
    const input = { TableName, Key: toItem({ pk, sk }), ConsistentRead: true };
    return (await send<{ Item?: Item }>('GetItem', input)).Item;
  }

  /** Returns a page of unparsed items. */
  async function storedPage(operation: 'Scan' | 'Query', input: object, { limit, after }: StoredPage) {
    const from = after && toItem({ pk: after.pk, sk: after.sk });
    const request = { ...input, Limit: limit, ConsistentRead: true };
    const { Items, LastEvaluatedKey } = await readPage(request, from, operation);
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
    get: (entity, id) => find(entity, entity.key(id)),

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

    async all(entity, pk, { limit, oldestFirst = false } = {}) {
      const input = { ...ofPartition(pk), ConsistentRead: true, ScanIndexForward: oldestFirst };
      const found = [];
      for await (const item of items(limit === undefined ? input : { ...input, Limit: limit })) {
        found.push(parse(entity, item));
        if (found.length === limit) break;
      }
      return found;
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
      const attributes = await apply(send, TableName, write, 'ALL_NEW');
      return attributes && parse(entity, attributes);
    },

    async updateReturningChanged(write, returns) {
      const attributes = await apply(send, TableName, write, returns ?? 'UPDATED_NEW');
      return attributes ? fromItem(attributes) : {};
    },

    putAll: (items) => putAll(send, TableName, items),
    transact: (writes) => transact(send, TableName, writes),

    async due(duePk, { until, limit, after = '', from }) {
      // Times are compared as text. The smallest text after a time is the time with another character.
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
