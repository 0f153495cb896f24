import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { notFound } from './errors.ts';
import { project } from './expressions/projections.ts';
import { sortableNumber } from './numbers.ts';
import { Definition, type Index, type Keys, keysOf } from './tables.ts';
import { type Item, member, sizeOfItem, type Value } from './values.ts';

/** A key attribute encoded so that SQLite sorts it as DynamoDB does. */
export type KeyText = string | Uint8Array;
export interface StoredKey {
  pk: KeyText;
  sk: KeyText;
}
export interface Stored {
  item: Item;
  size: number;
}
/** An item in the JSON in which it is stored. */
export interface Row {
  body: string;
  size: number;
}
export interface OpenIndex {
  name: string;
  keys: Keys;
  /** Name of the index's SQL table. */
  sqlName: string;
  /** Names of the projected attributes in addition to the keys; undefined for whole items. */
  projected: readonly string[] | undefined;
  put: StatementSync;
  remove: StatementSync;
}
/** A table with its prepared statements. */
export interface OpenTable {
  definition: Definition;
  keys: Keys;
  types: ReadonlyMap<string, 'S' | 'N' | 'B'>;
  indexes: ReadonlyMap<string, OpenIndex>;
  sqlName: string;
  get: StatementSync;
  put: StatementSync;
  remove: StatementSync;
  append: StatementSync;
}

/** A change of one item. */
interface ItemChange {
  key: StoredKey;
  before?: Item | undefined;
  after?: Item | undefined;
}

const MEMORY = ':memory:';

/** Encodes a key attribute so that SQLite sorts it as DynamoDB does. */
export function keyText(value: Value): KeyText {
  if (value.S !== undefined) return value.S;
  return value.N === undefined ? Buffer.from(value.B ?? '', 'base64') : sortableNumber(value.N);
}

export const keyOf = ({ hash, range }: Keys, item: Item): StoredKey => ({
  pk: keyText(item[hash] as Value),
  sk: range === undefined ? '' : keyText(item[range] as Value),
});

/** Returns the key attributes of an item. */
export const keyItem = ({ hash, range }: Keys, item: Item): Item => ({
  [hash]: item[hash] as Value,
  ...(range === undefined ? {} : { [range]: item[range] as Value }),
});

export type Storage = ReturnType<typeof openStorage>;
/** The part of the storage that writes use. */
export type ItemStorage = Pick<Storage, 'tableOf' | 'read' | 'write' | 'atomically'>;

/**
 * Opens the database of all tables, in a file or in memory. Each table has an SQL table for its items, one for each index, and
 * one for its changes.
 *
 * Confirmed writes survive a crash of the process, but not of the machine: the operating system decides when to flush them to
 * disk. Waiting for the disk would increase the duration of a write from 0.1 ms to tens of milliseconds.
 */
export function openStorage(file: string | undefined) {
  const database = new DatabaseSync(file ?? MEMORY);
  database.exec(`
    PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8000;
    CREATE TABLE IF NOT EXISTS tables (name TEXT PRIMARY KEY, definition TEXT NOT NULL) WITHOUT ROWID;
  `);
  const open = new Map<string, OpenTable>();
  const queries = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    const known = queries.get(sql);
    if (known) return known;
    const statement = database.prepare(sql);
    queries.set(sql, statement);
    return statement;
  };
  const [begin, commit, rollback] = ['BEGIN', 'COMMIT', 'ROLLBACK'].map((sql) => database.prepare(sql));

  /** Runs an action in a transaction, which is rolled back if the action throws. */
  function atomically<T>(act: () => T): T {
    begin?.run();
    try {
      const result = act();
      commit?.run();
      return result;
    } catch (error) {
      rollback?.run();
      throw error;
    }
  }

  const indexName = (number: number, name: string) => `"index_${number}_${name}"`;

  function openIndex({ number }: Definition, index: Index): OpenIndex {
    const sqlName = indexName(number, index.IndexName);
    database.exec(
      `CREATE TABLE IF NOT EXISTS ${sqlName} (hash, range, pk, sk, body TEXT, size INTEGER, PRIMARY KEY (hash, range, pk, sk)) WITHOUT ROWID`,
    );
    const { ProjectionType, NonKeyAttributes = [] } = index.Projection;
    return {
      name: index.IndexName,
      keys: keysOf(index.KeySchema),
      sqlName,
      projected: ProjectionType === 'ALL' ? undefined : ProjectionType === 'INCLUDE' ? NonKeyAttributes : [],
      put: database.prepare(`INSERT OR REPLACE INTO ${sqlName} VALUES (?, ?, ?, ?, ?, ?)`),
      remove: database.prepare(`DELETE FROM ${sqlName} WHERE hash = ? AND range = ? AND pk = ? AND sk = ?`),
    };
  }

  function openTable(definition: Definition): OpenTable {
    const { number } = definition;
    const [items, changes] = [`items_${number}`, `changes_${number}`];
    database.exec(`
      CREATE TABLE IF NOT EXISTS ${items} (pk, sk, body TEXT, size INTEGER, expires REAL, PRIMARY KEY (pk, sk)) WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS expires_${number} ON ${items} (expires) WHERE expires IS NOT NULL;
      CREATE TABLE IF NOT EXISTS ${changes} (number INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER, pk, sk, keys TEXT, old TEXT, new TEXT, size INTEGER, isExpiry INTEGER);
    `);
    const table: OpenTable = {
      definition,
      sqlName: items,
      keys: keysOf(definition.KeySchema),
      types: new Map(
        definition.AttributeDefinitions.map(({ AttributeName, AttributeType }) => [AttributeName, AttributeType]),
      ),
      indexes: new Map(
        definition.GlobalSecondaryIndexes.map((index) => [index.IndexName, openIndex(definition, index)]),
      ),
      get: database.prepare(`SELECT body, size FROM ${items} WHERE pk = ? AND sk = ?`),
      put: database.prepare(`INSERT OR REPLACE INTO ${items} VALUES (?, ?, ?, ?, ?)`),
      remove: database.prepare(`DELETE FROM ${items} WHERE pk = ? AND sk = ?`),
      append: database.prepare(
        `INSERT INTO ${changes} (at, pk, sk, keys, old, new, size, isExpiry) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      ),
    };
    open.set(definition.TableName, table);
    return table;
  }
  for (const { definition } of database.prepare('SELECT definition FROM tables').all())
    openTable(Definition.parse(JSON.parse(String(definition))));

  const expiryOf = ({ definition: { timeToLive } }: OpenTable, item: Item): number | null => {
    const seconds = timeToLive === undefined ? undefined : member(item, timeToLive)?.N;
    return seconds === undefined ? null : Number(seconds);
  };

  /** Returns an item's keys in an index; undefined if the item lacks one of them. */
  function entryOf({ keys: { hash, range } }: OpenIndex, item: Item): [KeyText, KeyText] | undefined {
    const [hashValue, rangeValue] = [member(item, hash), range === undefined ? undefined : member(item, range)];
    if (!hashValue || (range !== undefined && !rangeValue)) return undefined;
    return [keyText(hashValue), rangeValue ? keyText(rangeValue) : ''];
  }

  /** Returns the JSON of an item's projection in an index; null if the index projects whole items, which the table stores. */
  function projectedBody(index: OpenIndex, { keys }: OpenTable, item: Item): string | null {
    if (!index.projected) return null;
    const names = [keys.hash, keys.range, index.keys.hash, index.keys.range, ...index.projected];
    const paths = [...new Set(names)].flatMap((name) => (name === undefined ? [] : [[name]]));
    return JSON.stringify(project(item, paths));
  }

  function updateIndex(table: OpenTable, index: OpenIndex, { key, before, after }: ItemChange): void {
    const { pk, sk } = key;
    const [from, to] = [before && entryOf(index, before), after && entryOf(index, after)];
    const isSameEntry = from && to && String(from[0]) === String(to[0]) && String(from[1]) === String(to[1]);
    const body = to && after ? projectedBody(index, table, after) : null;
    if (isSameEntry && before && body === projectedBody(index, table, before)) return;
    if (from && !isSameEntry) index.remove.run(from[0], from[1], pk, sk);
    if (to) index.put.run(to[0], to[1], pk, sk, body, body === null ? null : body.length);
  }

  /** Fills new indexes of a table from its items, and sets the expiry of all items. */
  function fill(table: OpenTable, added: readonly OpenIndex[]): void {
    const setExpiry = prepare(`UPDATE ${table.sqlName} SET expires = ? WHERE pk = ? AND sk = ?`);
    for (const { body } of prepare(`SELECT body FROM ${table.sqlName}`).all()) {
      const item: Item = JSON.parse(String(body));
      const key = keyOf(table.keys, item);
      for (const index of added) updateIndex(table, index, { key, after: item });
      setExpiry.run(expiryOf(table, item), key.pk, key.sk);
    }
  }

  function tableOf(name: string): OpenTable {
    const table = open.get(name.split(':table/').at(-1) ?? '');
    if (!table) throw notFound();
    return table;
  }

  const get = (table: OpenTable, { pk, sk }: StoredKey): Row | undefined => table.get.get(pk, sk) as Row | undefined;

  function drop(sqlName: string): void {
    // Discards the prepared statements, because none may reference the dropped table.
    queries.clear();
    database.exec(`DROP TABLE IF EXISTS ${sqlName}`);
  }

  return {
    atomically,
    prepare,
    tables: (): OpenTable[] => [...open.values()],
    tableOf,
    hasTable: (name: string) => open.has(name),

    get,
    read(table: OpenTable, key: StoredKey): Stored | undefined {
      const row = get(table, key);
      return row && { item: JSON.parse(row.body), size: row.size };
    },

    /**
     * Replaces or removes an item, and updates the indexes and the stream.
     * @param at time of the change, in epoch milliseconds
     */
    write(table: OpenTable, change: ItemChange & { at: number; isExpiry?: boolean }): void {
      const { key, before, after, at, isExpiry = false } = change;
      const body = after && JSON.stringify(after);
      const size = after ? sizeOfItem(after) : 0;
      if (after && body !== undefined) table.put.run(key.pk, key.sk, body, size, expiryOf(table, after));
      else table.remove.run(key.pk, key.sk);
      for (const index of table.indexes.values()) updateIndex(table, index, change);
      if (!table.definition.stream?.isEnabled) return;
      const keys = JSON.stringify(keyItem(table.keys, after ?? before ?? {}));
      const old = before === undefined ? null : JSON.stringify(before);
      const bytes = size + (before ? sizeOfItem(before) : 0) + keys.length;
      table.append.run(at, key.pk, key.sk, keys, old, body ?? null, bytes, isExpiry ? 1 : 0);
    },

    /** Runs a query and yields its rows as they are read. */
    rows: (sql: string, values: readonly SQLInputValue[]): Iterable<Row> =>
      prepare(sql).iterate(...values) as Iterable<unknown> as Iterable<Row>,

    save(definition: Definition): OpenTable {
      const before = open.get(definition.TableName);
      atomically(() => {
        prepare('INSERT OR REPLACE INTO tables VALUES (?, ?)').run(definition.TableName, JSON.stringify(definition));
        const table = openTable(definition);
        for (const index of before?.indexes.values() ?? []) if (!table.indexes.has(index.name)) drop(index.sqlName);
        const added = [...table.indexes.values()].filter(({ name }) => before && !before.indexes.has(name));
        if (added.length === 0 && before?.definition.timeToLive === definition.timeToLive) return;
        fill(table, added);
      });
      return tableOf(definition.TableName);
    },

    remove(table: OpenTable): void {
      const { TableName, number } = table.definition;
      open.delete(TableName);
      prepare('DELETE FROM tables WHERE name = ?').run(TableName);
      for (const name of [
        table.sqlName,
        `changes_${number}`,
        ...[...table.indexes.values()].map(({ sqlName }) => sqlName),
      ])
        drop(name);
    },

    nextNumber: (): number => Math.max(0, ...[...open.values()].map(({ definition }) => definition.number)) + 1,
    close: () => database.close(),
  };
}
