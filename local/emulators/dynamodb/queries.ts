import type { SQLInputValue } from 'node:sqlite';
import { invalid } from './errors.ts';
import { checkOperands, holds, pathsIn } from './expressions/conditions.ts';
import { parseCondition } from './expressions/parser.ts';
import type { Scope } from './expressions/scope.ts';
import type { Condition, Parsed } from './expressions/syntax.ts';
import { createProjection } from './items.ts';
import { keyRange, type Order, type Range } from './key-conditions.ts';
import type { Input } from './requests.ts';
import * as requests from './requests.ts';
import { keyItem, keyText, type OpenIndex, type OpenTable, type Storage } from './storage.ts';
import type { Keys } from './tables.ts';
import { type Item, readItem, typeOf } from './values.ts';

const MAX_PAGE_BYTES = 1024 * 1024;
const MAX_SEGMENTS = 1_000_000;

const tableOrder = (table: OpenTable): Order => ({
  from: table.sqlName,
  body: 'body',
  size: 'size',
  hash: 'pk',
  columns: ['sk'],
});
const indexOrder = (table: OpenTable, index: OpenIndex): Order =>
  index.projected
    ? { from: index.sqlName, body: 'body', size: 'size', hash: 'hash', columns: ['range', 'pk', 'sk'] }
    : {
        // An index of whole items reads them from the table.
        from: `${index.sqlName} AS entry CROSS JOIN ${table.sqlName} AS item ON item.pk = entry.pk AND item.sk = entry.sk`,
        body: 'item.body',
        size: 'item.size',
        hash: 'entry.hash',
        columns: ['entry.range', 'entry.pk', 'entry.sk'],
      };

function readLimit({ Limit }: Input): number {
  if (Limit === undefined) return Number.POSITIVE_INFINITY;
  if (!Number.isInteger(Limit) || Number(Limit) < 1)
    throw invalid(
      `1 validation error detected: Value '${Limit}' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1`,
    );
  return Number(Limit);
}

/** Returns the index that a request names; undefined for the table. */
function indexIn(table: OpenTable, { IndexName, ConsistentRead }: Input): OpenIndex | undefined {
  if (IndexName === undefined) return undefined;
  const index = table.indexes.get(String(IndexName));
  if (!index) throw invalid(`The table does not have the specified index: ${IndexName}`);
  if (ConsistentRead === true) throw invalid('Consistent reads are not supported on global secondary indexes');
  return index;
}

/** Reads the `ExclusiveStartKey`, after which a page begins. */
function startKey(table: OpenTable, index: OpenIndex | undefined, raw: unknown): Item {
  const item = readItem(raw);
  const names = new Set(
    [table.keys.hash, table.keys.range, index?.keys.hash, index?.keys.range].filter((name) => name !== undefined),
  );
  const fits =
    Object.keys(item).length === names.size &&
    [...names].every((name) => item[name] && typeOf(item[name]) === table.types.get(name));
  if (!fits) throw invalid('The provided starting key is invalid');
  return item;
}

/** Returns an item's values of the columns that order the rows of a table's partition or an index's partition. */
const sortKeyOf = ({ keys }: OpenTable, index: OpenIndex | undefined, item: Item): SQLInputValue[] => {
  const { hash, range } = keys;
  const [pk, sk] = [item[hash], range === undefined ? undefined : item[range]];
  const tableKey = [pk ? keyText(pk) : '', sk ? keyText(sk) : ''];
  if (!index) return tableKey.slice(1);
  const indexRange = index.keys.range === undefined ? undefined : item[index.keys.range];
  return [indexRange ? keyText(indexRange) : '', ...tableKey];
};

interface PageRequest {
  table: OpenTable;
  index: OpenIndex | undefined;
  order: Order;
  range: Range;
  orderBy: string;
  /** Returns true if an item belongs to the segment of a parallel scan. */
  isInSegment?: ((item: Item) => boolean) | undefined;
}

/** Reads one page and returns the response, as JSON. */
function readPage(
  storage: Storage,
  input: Input,
  request: PageRequest,
  scoped: { filter: Parsed<Condition> | undefined; scope: Scope; show: (body: string) => string },
): string {
  const { table, index, order, range, orderBy, isInSegment } = request;
  const limit = readLimit(input);
  const where = range.where.length > 0 ? ` WHERE ${range.where.join(' AND ')}` : '';
  const isBounded = Number.isFinite(limit) && !isInSegment;
  const sql = `SELECT ${order.body} AS body, ${order.size} AS size FROM ${order.from}${where} ORDER BY ${orderBy}${isBounded ? ' LIMIT ?' : ''}`;
  const found: string[] = [];
  let [scanned, bytes] = [0, 0];
  let last: string | undefined;
  for (const { body, size } of storage.rows(sql, isBounded ? [...range.values, limit] : range.values)) {
    if (isInSegment && !isInSegment(JSON.parse(body))) continue;
    scanned += 1;
    bytes += size;
    const matches = !scoped.filter || holds(scoped.filter.tree, JSON.parse(body), scoped.scope);
    if (matches) found.push(body);
    if (scanned >= limit || bytes >= MAX_PAGE_BYTES) {
      last = body;
      break;
    }
  }
  const capacity = requests.consumed(
    input,
    table,
    requests.readUnits(bytes, input.ConsistentRead === true),
  ).ConsumedCapacity;
  const parts = [
    ...(input.Select === 'COUNT' ? [] : [`"Items":[${found.map(scoped.show).join(',')}]`]),
    `"Count":${found.length},"ScannedCount":${scanned}`,
    ...(last === undefined ? [] : [`"LastEvaluatedKey":${JSON.stringify(lastKey(table, index, JSON.parse(last)))}`]),
    ...(capacity ? [`"ConsumedCapacity":${JSON.stringify(capacity)}`] : []),
  ];
  return `{${parts.join(',')}}`;
}

const lastKey = (table: OpenTable, index: OpenIndex | undefined, item: Item): Item => ({
  ...keyItem(table.keys, item),
  ...(index ? keyItem(index.keys, item) : {}),
});

const filterIn = ({ FilterExpression }: Input): Parsed<Condition> | undefined =>
  FilterExpression === undefined ? undefined : parseCondition(requests.textOf(FilterExpression), 'FilterExpression');

/** Throws if a filter names a key attribute: those belong to the key condition. */
function checkFilter(filter: Parsed<Condition>, scope: Scope, { hash, range }: Keys): void {
  checkOperands(filter.tree, scope);
  for (const path of pathsIn(filter.tree)) {
    const [name] = scope.resolve(path);
    if (name === hash || name === range)
      throw invalid(`Filter Expression can only contain non-primary key attributes: Primary key attribute: ${name}`);
  }
}

/** Returns the response of Query, as JSON. */
export function query(storage: Storage, input: Input): string {
  const table = storage.tableOf(requests.nameIn(input));
  const index = indexIn(table, input);
  if (input.KeyConditionExpression === undefined)
    throw invalid('Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.');
  const condition = parseCondition(requests.textOf(input.KeyConditionExpression), 'KeyConditionExpression');
  const filter = filterIn(input);
  const { scope, show } = createProjection(input, { KeyConditionExpression: condition, FilterExpression: filter });
  const keys = index?.keys ?? table.keys;
  if (filter) checkFilter(filter, scope, keys);
  const order = index ? indexOrder(table, index) : tableOrder(table);
  const { hash, ...range } = keyRange(condition, scope, { keys, types: table.types }, order);
  const isForward = input.ScanIndexForward !== false;
  if (input.ExclusiveStartKey !== undefined) {
    const start = startKey(table, index, input.ExclusiveStartKey);
    const startHash = start[keys.hash];
    if (JSON.stringify(startHash) !== JSON.stringify(hash))
      throw invalid('The provided starting key is outside query boundaries based on provided conditions');
    if (!holds(condition.tree, start, scope))
      throw invalid('The provided starting key does not match the range key predicate');
    const position = sortKeyOf(table, index, start);
    range.where.push(`(${order.columns.join(', ')}) ${isForward ? '>' : '<'} (${position.map(() => '?').join(', ')})`);
    range.values.push(...position);
  }
  const orderBy = order.columns.map((column) => `${column} ${isForward ? 'ASC' : 'DESC'}`).join(', ');
  return readPage(storage, input, { table, index, order, range, orderBy }, { filter, scope, show });
}

/** Returns the response of Scan, as JSON. */
export function scan(storage: Storage, input: Input): string {
  const table = storage.tableOf(requests.nameIn(input));
  const index = indexIn(table, input);
  const filter = filterIn(input);
  const { scope, show } = createProjection(input, { FilterExpression: filter });
  if (filter) checkOperands(filter.tree, scope);
  const order = index ? indexOrder(table, index) : tableOrder(table);
  const columns = [order.hash, ...order.columns];
  const range: Range = { where: [], values: [] };
  if (input.ExclusiveStartKey !== undefined) {
    const start = startKey(table, index, input.ExclusiveStartKey);
    const startHash = start[index?.keys.hash ?? table.keys.hash];
    const position = [startHash ? keyText(startHash) : '', ...sortKeyOf(table, index, start)];
    range.where.push(`(${columns.join(', ')}) > (${position.map(() => '?').join(', ')})`);
    range.values.push(...position);
  }
  const isInSegment = segmentCheckOf(table, input);
  return readPage(
    storage,
    input,
    { table, index, order, range, orderBy: columns.join(', '), isInSegment },
    { filter, scope, show },
  );
}

/** Returns a function that checks if an item belongs to the segment of a parallel scan; undefined for a sequential scan. */
function segmentCheckOf(table: OpenTable, { Segment, TotalSegments }: Input): ((item: Item) => boolean) | undefined {
  if (TotalSegments === undefined && Segment === undefined) return undefined;
  const [segment, total] = [Number(Segment), Number(TotalSegments)];
  if (!(total >= 1 && total <= MAX_SEGMENTS && segment >= 0 && segment < total))
    throw invalid('The Segment parameter is zero-based and must be less than parameter TotalSegments');
  return (item) => {
    const text = JSON.stringify(item[table.keys.hash]);
    let hash = 0;
    for (let at = 0; at < text.length; at += 1) hash = (hash * 31 + text.charCodeAt(at)) >>> 0;
    return hash % total === segment;
  };
}
