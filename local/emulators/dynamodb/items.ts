import { invalid, invalidParameter } from './errors.ts';
import { parseProjection, parseUpdate } from './expressions/parser.ts';
import { project } from './expressions/projections.ts';
import { createScope, refuseOverlaps } from './expressions/scope.ts';
import { applyUpdate, pathsOf } from './expressions/updates.ts';
import type { Input } from './requests.ts';
import * as requests from './requests.ts';
import type { ItemStorage, OpenTable, Storage, Stored, StoredKey } from './storage.ts';
import { equalItems, type Item, sizeOfItem } from './values.ts';

export type WriteKind = 'Put' | 'Update' | 'Delete' | 'ConditionCheck';

/** A write whose condition is evaluated, but which is not applied yet. */
export interface Prepared {
  table: OpenTable;
  key: StoredKey;
  before: Stored | undefined;
  after: Item | undefined;
  /** Paths that an update changes. */
  paths: ReturnType<typeof pathsOf>;
  /** The reason why the condition does not hold; undefined if it holds. */
  refused: Error | undefined;
  /** Consumed write units outside of a transaction, which doubles them. */
  units: number;
}

/** Prepares an update. Throws if the updated item may not be stored. */
function prepareUpdate(storage: ItemStorage, table: OpenTable, input: Input): Prepared {
  const { key, item: keyItem } = requests.readKey(table, input.Key);
  const update =
    input.UpdateExpression === undefined
      ? undefined
      : parseUpdate(requests.textOf(input.UpdateExpression), 'UpdateExpression');
  const conditional = requests.readCondition(input, { UpdateExpression: update });
  const paths = update ? pathsOf(update.tree, conditional.scope) : [];
  for (const [first] of paths)
    if (first === table.keys.hash || first === table.keys.range)
      throw invalidParameter(`Cannot update attribute ${first}. This attribute is part of the key`);
  const before = storage.read(table, key);
  const refused = requests.refusal(conditional, before, input);
  if (refused)
    return { table, key, before, after: before?.item, paths, refused, units: requests.writeUnits(before?.size ?? 0) };
  const base = before?.item ?? keyItem;
  const after = update ? applyUpdate(update.tree, base, conditional.scope) : base;
  const size = sizeOfItem(after);
  requests.checkStorable(table, after, size);
  return { table, key, before, after, paths, refused, units: requests.writeUnits(size, before?.size ?? 0) };
}

/** Evaluates a write without applying it. */
export function prepare(storage: ItemStorage, kind: WriteKind, input: Input): Prepared {
  const table = storage.tableOf(requests.nameIn(input));
  if (kind === 'Update') return prepareUpdate(storage, table, input);
  const { key, item } = kind === 'Put' ? requests.readWhole(table, input.Item) : requests.readKey(table, input.Key);
  const conditional = requests.readCondition(input);
  const before = storage.read(table, key);
  const refused = requests.refusal(conditional, before, input);
  const size = kind === 'Put' ? sizeOfItem(item) : 0;
  if (kind === 'Put') requests.checkStorable(table, item, size);
  const after = kind === 'Put' ? item : kind === 'ConditionCheck' ? before?.item : undefined;
  return { table, key, before, after, paths: [], refused, units: requests.writeUnits(size, before?.size ?? 0) };
}

/** Applies a prepared write. As in DynamoDB, a write that does not change the item produces no stream record. */
export function apply(storage: ItemStorage, { table, key, before, after }: Prepared, now: number): void {
  if (before === undefined && after === undefined) return;
  if (before && after && equalItems(before.item, after)) return;
  storage.write(table, { key, before: before?.item, after, at: now });
}

const RETURNS = {
  Put: ['NONE', 'ALL_OLD'],
  Delete: ['NONE', 'ALL_OLD'],
  Update: ['NONE', 'ALL_OLD', 'ALL_NEW', 'UPDATED_OLD', 'UPDATED_NEW'],
} as const;

/** Performs a write outside of a transaction and returns its response. */
export function write(storage: ItemStorage, kind: 'Put' | 'Update' | 'Delete', input: Input, now: number): object {
  const returns = requests.returnValuesOf(input, RETURNS[kind]);
  const prepared = prepare(storage, kind, input);
  if (prepared.refused) throw prepared.refused;
  storage.atomically(() => apply(storage, prepared, now));
  const { before, after, paths } = prepared;
  const item = returns.endsWith('_NEW') ? after : before?.item;
  const attributes = item && returns !== 'NONE' ? (returns.startsWith('ALL') ? item : project(item, paths)) : undefined;
  const isShown = attributes && (returns.startsWith('ALL') || Object.keys(attributes).length > 0);
  return {
    ...(isShown ? { Attributes: attributes } : {}),
    ...requests.consumed(input, prepared.table, prepared.units),
  };
}

/** Returns the scope of a request, and a function that returns the requested part of a stored item as JSON. */
export function createProjection(input: Input, others: Parameters<typeof createScope>[1] = {}) {
  requests.refuseLegacy(input);
  const { ProjectionExpression } = input;
  const parsed =
    ProjectionExpression === undefined
      ? undefined
      : parseProjection(requests.textOf(ProjectionExpression), 'ProjectionExpression');
  const scope = createScope(input, { ...others, ProjectionExpression: parsed });
  const paths =
    parsed &&
    refuseOverlaps(
      parsed.tree.map((path) => scope.resolve(path)),
      'ProjectionExpression',
    );
  return { scope, show: (body: string): string => (paths ? JSON.stringify(project(JSON.parse(body), paths)) : body) };
}

/** Returns the response of GetItem, as JSON. */
export function getItem(storage: Storage, input: Input): string {
  const table = storage.tableOf(requests.nameIn(input));
  const { key } = requests.readKey(table, input.Key);
  const { show } = createProjection(input);
  const row = storage.get(table, key);
  const capacity = requests.consumed(input, table, requests.readUnits(row?.size ?? 0, input.ConsistentRead === true));
  const rest = capacity.ConsumedCapacity
    ? `${row ? ',' : ''}"ConsumedCapacity":${JSON.stringify(capacity.ConsumedCapacity)}`
    : '';
  return row ? `{"Item":${show(row.body)}${rest}}` : `{${rest}}`;
}

const MAX_BATCH_GETS = 100;
const MAX_BATCH_WRITES = 25;
const MAX_BATCH_READ_BYTES = 16 * 1024 * 1024;

/** Returns the response of BatchGetItem, as JSON. */
export function batchGet(storage: Storage, input: Input): string {
  const tables = Object.entries(requests.asMap(input.RequestItems, 'RequestItems'));
  const reads = tables.map(([name, raw]) => {
    const request = requests.asMap(raw, 'RequestItems');
    const table = storage.tableOf(name);
    const keys = Array.isArray(request.Keys)
      ? request.Keys.map((key) => ({ raw: key, ...requests.readKey(table, key) }))
      : [];
    const distinct = new Set(keys.map(({ key }) => JSON.stringify([String(key.pk), String(key.sk)])));
    if (distinct.size < keys.length) throw invalid('Provided list of item keys contains duplicates');
    return { name, table, keys, show: createProjection(request).show };
  });
  const count = reads.reduce((sum, { keys }) => sum + keys.length, 0);
  if (count === 0) throw invalid('The list of keys in RequestItems must not be empty');
  if (count > MAX_BATCH_GETS) throw invalid('Too many items requested for the BatchGetItem call');
  let bytes = 0;
  const unprocessed: Record<string, { Keys: unknown[] }> = {};
  const responses = reads.map(({ name, table, keys, show }) => {
    const found: string[] = [];
    for (const { raw, key } of keys) {
      const row = bytes > MAX_BATCH_READ_BYTES ? undefined : storage.get(table, key);
      bytes += row?.size ?? 0;
      if (bytes > MAX_BATCH_READ_BYTES) {
        unprocessed[name] ??= { Keys: [] };
        unprocessed[name].Keys.push(raw);
      } else if (row) found.push(show(row.body));
    }
    return `${JSON.stringify(name)}:[${found.join(',')}]`;
  });
  return `{"Responses":{${responses.join(',')}},"UnprocessedKeys":${JSON.stringify(unprocessed)}}`;
}

/** Performs the writes of BatchWriteItem. */
export function batchWrite(storage: ItemStorage, input: Input, now: number): object {
  const prepared = Object.entries(requests.asMap(input.RequestItems, 'RequestItems')).flatMap(([TableName, raw]) =>
    (Array.isArray(raw) ? raw : []).map((each: Input) => {
      const { PutRequest, DeleteRequest } = each;
      if (PutRequest) return prepare(storage, 'Put', { TableName, ...requests.asMap(PutRequest, 'PutRequest') });
      return prepare(storage, 'Delete', { TableName, ...requests.asMap(DeleteRequest, 'DeleteRequest') });
    }),
  );
  if (prepared.length === 0) throw invalid('The batch write request list for a table cannot be empty');
  if (prepared.length > MAX_BATCH_WRITES) throw invalid('Too many items requested for the BatchWriteItem call');
  if (new Set(prepared.map(itemId)).size < prepared.length)
    throw invalid('Provided list of item keys contains duplicates');
  storage.atomically(() => {
    for (const write of prepared) apply(storage, write, now);
  });
  return { UnprocessedItems: {} };
}

/** Returns a string that identifies the item of a write. */
export const itemId = ({ table, key }: Prepared): string =>
  JSON.stringify([table.definition.TableName, String(key.pk), String(key.sk)]);
