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

/** Opens the SQL table of an index, and creates it if it does not exist. */
function openIndex(database: DatabaseSync, { number }: Definition, index: Index): OpenIndex {
  const sqlName = `"index_${number}_${index.IndexName}"`;
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

/** Opens the SQL tables of a table's items, changes and indexes, and creates those that do not exist. */
function openTable(database: DatabaseSync, definition: Definition): OpenTable {
  const { number } = definition;
  const [items, changes] = [`items_${number}`, `changes_${number}`];
  database.exec(`
    CREATE TABLE IF NOT EXISTS ${items} (pk, sk, body TEXT, size INTEGER, expires REAL, PRIMARY KEY (pk, sk)) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS expires_${number} ON ${items} (expires) WHERE expires IS NOT NULL;
    CREATE TABLE IF NOT EXISTS ${changes} (number INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER, pk, sk, keys TEXT, old TEXT, new TEXT, size INTEGER, isExpiry INTEGER);
  `);
  return {
    definition,
    sqlName: items,
    keys: keysOf(definition.KeySchema),
    types: new Map(
      definition.AttributeDefinitions.map(({ AttributeName, AttributeType }) => [AttributeName, AttributeType]),
    ),
    indexes: new Map(
      definition.GlobalSecondaryIndexes.map((index) => [index.IndexName, openIndex(database, definition, index)]),
    ),
    get: database.prepare(`SELECT body, size FROM ${items} WHERE pk = ? AND sk = ?`),
    put: database.prepare(`INSERT OR REPLACE INTO ${items} VALUES (?, ?, ?, ?, ?)`),
    remove: database.prepare(`DELETE FROM ${items} WHERE pk = ? AND sk = ?`),
    append: database.prepare(
      `INSERT INTO ${changes} (at, pk, sk, keys, old, new, size, isExpiry) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
  };
}

/** The part of the storage that writes use. */
export type ItemStorage = Pick<Storage, 'tableOf' | 'read' | 'write' | 'atomically'>;

/**
 * The database of all tables, in a file or in memory. Each table has an SQL table for its items, one for each index, and one for its
 * changes.
 *
 * Confirmed writes survive a crash of the process, but not of the machine: the operating system decides when to flush them to
 * disk. Waiting for the disk would increase the duration of a write from 0.1 ms to tens of milliseconds.
 */
export class Storage {
  readonly #database: DatabaseSync;
  readonly #tables = new Map<string, OpenTable>();
  /** Prepared statements by their SQL. */
  readonly #statements = new Map<string, StatementSync>();
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #rollback: StatementSync;

  /** @param file path of the database; undefined for one in memory */
  constructor(file: string | undefined) {
    this.#database = new DatabaseSync(file ?? MEMORY);
    this.#database.exec(`
      PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8000;
      CREATE TABLE IF NOT EXISTS tables (name TEXT PRIMARY KEY, definition TEXT NOT NULL) WITHOUT ROWID;
    `);
    this.#begin = this.#database.prepare('BEGIN');
    this.#commit = this.#database.prepare('COMMIT');
    this.#rollback = this.#database.prepare('ROLLBACK');
    for (const { definition } of this.#database.prepare('SELECT definition FROM tables').all())
      this.#open(Definition.parse(JSON.parse(String(definition))));
  }

  #open(definition: Definition): OpenTable {
    const table = openTable(this.#database, definition);
    this.#tables.set(definition.TableName, table);
    return table;
  }

  /** Runs an action in a transaction, which is rolled back if the action throws. */
  atomically<T>(act: () => T): T {
    this.#begin.run();
    try {
      const result = act();
      this.#commit.run();
      return result;
    } catch (error) {
      this.#rollback.run();
      throw error;
    }
  }

  prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  tables(): OpenTable[] {
    return [...this.#tables.values()];
  }

  /** Returns the table with a name or ARN. Throws `ResourceNotFoundException`. */
  tableOf(name: string): OpenTable {
    const table = this.#tables.get(name.split(':table/').at(-1) ?? '');
    if (!table) throw notFound();
    return table;
  }

  hasTable(name: string): boolean {
    return this.#tables.has(name);
  }

  get(table: OpenTable, { pk, sk }: StoredKey): Row | undefined {
    return table.get.get(pk, sk) as Row | undefined;
  }

  read(table: OpenTable, key: StoredKey): Stored | undefined {
    const row = this.get(table, key);
    return row && { item: JSON.parse(row.body), size: row.size };
  }

  /**
   * Replaces or removes an item, and updates the indexes and the stream.
   * @param change.at time of the change, in epoch milliseconds
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
  }

  /** Runs a query and yields its rows as they are read. */
  rows(sql: string, values: readonly SQLInputValue[]): Iterable<Row> {
    return this.prepare(sql).iterate(...values) as Iterable<unknown> as Iterable<Row>;
  }

  /** Creates a table, or changes its definition. */
  save(definition: Definition): OpenTable {
    const before = this.#tables.get(definition.TableName);
    this.atomically(() => {
      this.prepare('INSERT OR REPLACE INTO tables VALUES (?, ?)').run(definition.TableName, JSON.stringify(definition));
      const table = this.#open(definition);
      for (const index of before?.indexes.values() ?? []) if (!table.indexes.has(index.name)) this.#drop(index.sqlName);
      const added = [...table.indexes.values()].filter(({ name }) => before && !before.indexes.has(name));
      if (added.length === 0 && before?.definition.timeToLive === definition.timeToLive) return;
      this.#fill(table, added);
    });
    return this.tableOf(definition.TableName);
  }

  /** Fills new indexes of a table from its items, and sets the expiry of all items. */
  #fill(table: OpenTable, added: readonly OpenIndex[]): void {
    const setExpiry = this.prepare(`UPDATE ${table.sqlName} SET expires = ? WHERE pk = ? AND sk = ?`);
    for (const { body } of this.prepare(`SELECT body FROM ${table.sqlName}`).all()) {
      const item: Item = JSON.parse(String(body));
      const key = keyOf(table.keys, item);
      for (const index of added) updateIndex(table, index, { key, after: item });
      setExpiry.run(expiryOf(table, item), key.pk, key.sk);
    }
  }

  remove({ definition: { TableName, number }, sqlName, indexes }: OpenTable): void {
    this.#tables.delete(TableName);
    this.prepare('DELETE FROM tables WHERE name = ?').run(TableName);
    for (const name of [sqlName, `changes_${number}`, ...[...indexes.values()].map((index) => index.sqlName)])
      this.#drop(name);
  }

  #drop(sqlName: string): void {
    // Discards the prepared statements, because none may reference the dropped table.
    this.#statements.clear();
    this.#database.exec(`DROP TABLE IF EXISTS ${sqlName}`);
  }

  nextNumber(): number {
    return Math.max(0, ...this.tables().map(({ definition }) => definition.number)) + 1;
  }

  close(): void {
    this.#database.close();
  }
}
