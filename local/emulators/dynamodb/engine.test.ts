import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CASES } from '../../../test/support/table/cases.ts';
import { outcomesOf, TABLE } from '../../../test/support/table/requests.ts';
import { createEngine, type Engine } from './engine.ts';

const PLACE = { region: 'af-south-1', account: '000000000000' };
const TableName = TABLE.TableName;

// biome-ignore lint/suspicious/noExplicitAny: responses of all operations, which the tests compare
const ask = (engine: Engine, name: string, input: object): Record<string, any> =>
  JSON.parse(engine.run(name, JSON.stringify(input)));

function newEngine(options: { file?: string; now?: () => number } = {}): Engine {
  const engine = createEngine({ ...PLACE, ...options });
  onTestFinished(() => engine.close());
  return engine;
}
function withTable(options: Parameters<typeof newEngine>[0] = {}): Engine {
  const engine = newEngine(options);
  ask(engine, 'CreateTable', TABLE);
  return engine;
}

const item = (sk: string, more: object = {}) => ({ pk: { S: 'p' }, sk: { S: sk }, ...more });
const put = (engine: Engine, sk: string, more: object = {}) =>
  ask(engine, 'PutItem', { TableName, Item: item(sk, more) });
const names = (engine: Engine, table: string = TableName): string[] =>
  (ask(engine, 'Scan', { TableName: table }).Items as { sk: { S: string } }[]).map(({ sk }) => sk.S);

function streamOf(engine: Engine) {
  const { LatestStreamArn: StreamArn } = ask(engine, 'DescribeTable', { TableName }).Table as {
    LatestStreamArn: string;
  };
  const { Shards } = ask(engine, 'DescribeStream', { StreamArn }).StreamDescription as {
    Shards: { ShardId: string }[];
  };
  const at = { StreamArn, ShardId: Shards[0]?.ShardId };
  const iterator = (ShardIteratorType: string, SequenceNumber?: string) =>
    ask(engine, 'GetShardIterator', { ...at, ShardIteratorType, SequenceNumber }).ShardIterator;
  const read = (ShardIterator: unknown, Limit?: number) =>
    ask(engine, 'GetRecords', { ShardIterator, Limit }) as {
      Records: {
        eventName: string;
        userIdentity?: object;
        dynamodb: { SequenceNumber: string; Keys: { sk: { S: string } } };
      }[];
      NextShardIterator: string;
    };
  return { iterator, read };
}

// test/release/table-engine.test.ts compares the same files with the answers of DynamoDB Local.
test.for(Object.keys(CASES))('answers as DynamoDB Local: %s', async (name) => {
  const engine = withTable();
  const outcomes = await outcomesOf(CASES[name] ?? [], async (operation, input) =>
    engine.run(operation, JSON.stringify(input)),
  );
  await expect(outcomes).toMatchFileSnapshot(`answers/${name.replaceAll(/\W+/g, '-')}.jsonl`);
});

test('keeps tables, items, indexes and the stream over a restart', () => {
  const folder = mkdtempSync(join(tmpdir(), 'engine-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'table.db');
  const before = createEngine({ ...PLACE, file });
  ask(before, 'CreateTable', TABLE);
  put(before, 'a', { listPk: { S: 'l' }, listSk: { S: '1' } });
  const last = streamOf(before).read(streamOf(before).iterator('TRIM_HORIZON')).Records.at(-1);
  before.close();
  const after = newEngine({ file });
  const { iterator, read } = streamOf(after);
  put(after, 'b');
  expect(names(after)).toEqual(['a', 'b']);
  const listed = {
    TableName,
    IndexName: 'list',
    KeyConditionExpression: 'listPk = :l',
    ExpressionAttributeValues: { ':l': { S: 'l' } },
  };
  expect(ask(after, 'Query', listed).Count).toBe(1);
  const later = read(iterator('AFTER_SEQUENCE_NUMBER', last?.dynamodb.SequenceNumber)).Records;
  expect(later.map(({ dynamodb }) => dynamodb.Keys.sk.S)).toEqual(['b']);
});

test('a stream is read from its horizon, its end or a record, in pages', () => {
  const engine = withTable();
  const { iterator, read } = streamOf(engine);
  const atEnd = iterator('LATEST');
  for (const sk of ['a', 'b', 'c']) put(engine, sk);
  put(engine, 'c');
  const first = read(iterator('TRIM_HORIZON'), 2);
  expect(first.Records.map(({ dynamodb }) => dynamodb.Keys.sk.S)).toEqual(['a', 'b']);
  // A write that changes nothing is no record.
  expect(read(first.NextShardIterator).Records.map(({ dynamodb }) => dynamodb.Keys.sk.S)).toEqual(['c']);
  expect(read(atEnd).Records).toHaveLength(3);
  const second = first.Records[1]?.dynamodb.SequenceNumber;
  expect(read(iterator('AT_SEQUENCE_NUMBER', second)).Records).toHaveLength(2);
});

test('records are kept for a day, and iterators for 15 minutes', () => {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const engine = withTable({ now: () => now });
  const { iterator, read } = streamOf(engine);
  put(engine, 'old');
  const number = read(iterator('TRIM_HORIZON')).Records[0]?.dynamodb.SequenceNumber ?? '';
  const early = iterator('TRIM_HORIZON');
  now += 16 * 60_000;
  expect(() => read(early)).toThrow(expect.objectContaining({ name: 'ExpiredIteratorException' }));
  now += 24 * 3600_000;
  put(engine, 'new');
  engine.removeExpired();
  expect(read(iterator('TRIM_HORIZON')).Records.map(({ dynamodb }) => dynamodb.Keys.sk.S)).toEqual(['new']);
  expect(() => iterator('AT_SEQUENCE_NUMBER', number)).toThrow(
    expect.objectContaining({ name: 'TrimmedDataAccessException' }),
  );
  expect(read(iterator('AFTER_SEQUENCE_NUMBER', number)).Records).toHaveLength(1);
});

test('a tidying is bounded, however many records are kept, and says that there is more', () => {
  const start = Date.parse('2026-01-01T00:00:00Z');
  const day = 24 * 3600_000;
  let now = start;
  const engine = withTable({ now: () => now });
  const { iterator, read } = streamOf(engine);
  const recorded = () => read(iterator('TRIM_HORIZON')).Records.map(({ dynamodb }) => dynamodb.Keys.sk.S);
  for (let count = 0; count < 600; count++) put(engine, String(count));
  now = start - 1;
  put(engine, 'by a clock that was put back');
  // The last one only has expired: it is not looked for behind the others.
  now = start + day;
  expect(engine.removeExpired()).toBe(false);
  expect(recorded()).toHaveLength(601);
  now = start + day + 1;
  expect(engine.removeExpired()).toBe(true);
  expect(recorded()).toHaveLength(101);
  expect(recorded()[0]).toBe('500');
  expect(engine.removeExpired()).toBe(false);
  expect(recorded()).toEqual([]);
});

test('records of a clock that was ahead do not keep those behind them', () => {
  const start = Date.parse('2026-01-01T00:00:00Z');
  const day = 24 * 3600_000;
  let now = start + 365 * day;
  const engine = withTable({ now: () => now });
  const { iterator, read } = streamOf(engine);
  for (let count = 0; count < 600; count++) put(engine, `ahead ${count}`);
  now = start;
  for (let count = 0; count < 100; count++) put(engine, String(count));
  now = start + 2 * day;
  while (engine.removeExpired());
  expect(read(iterator('TRIM_HORIZON')).Records).toEqual([]);
});

test('a tidying is bounded, however many items have expired', () => {
  const until = { N: String(Math.floor(Date.now() / 1000) - 60) };
  const engine = withTable();
  ask(engine, 'UpdateTimeToLive', { TableName, TimeToLiveSpecification: { AttributeName: 'until', Enabled: true } });
  for (let count = 0; count < 150; count++) put(engine, String(count), { until });
  expect(engine.removeExpired()).toBe(true);
  expect(names(engine)).toHaveLength(50);
  expect(engine.removeExpired()).toBe(false);
  expect(names(engine)).toEqual([]);
});

test('expired items are removed by the service, which the stream tells', () => {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const engine = withTable({ now: () => now });
  put(engine, 'before', { until: { N: String(now / 1000 + 60) } });
  ask(engine, 'UpdateTimeToLive', { TableName, TimeToLiveSpecification: { AttributeName: 'until', Enabled: true } });
  put(engine, 'later', { until: { N: String(now / 1000 + 3600) } });
  put(engine, 'never', { until: { S: 'no number' } });
  engine.removeExpired();
  expect(names(engine)).toEqual(['before', 'later', 'never']);
  now += 61_000;
  engine.removeExpired();
  expect(names(engine)).toEqual(['later', 'never']);
  const { iterator, read } = streamOf(engine);
  expect(read(iterator('TRIM_HORIZON')).Records.at(-1)).toMatchObject({
    eventName: 'REMOVE',
    userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' },
  });
});

test('restores a table to a second, with its indexes and without its stream', () => {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const engine = withTable({ now: () => now });
  put(engine, 'kept', { n: { N: '1' } });
  put(engine, 'deleted');
  now += 10_000;
  const at = now / 1000;
  put(engine, 'kept', { n: { N: '2' } });
  ask(engine, 'DeleteItem', { TableName, Key: item('deleted') });
  put(engine, 'too-late');
  now += 10_000;
  const restore = (RestoreDateTime: number, TargetTableName = 'restored') =>
    ask(engine, 'RestoreTableToPointInTime', { SourceTableName: TableName, TargetTableName, RestoreDateTime });
  restore(at);
  expect(names(engine, 'restored')).toEqual(['deleted', 'kept']);
  expect(ask(engine, 'GetItem', { TableName: 'restored', Key: item('kept') })).toMatchObject({
    Item: { n: { N: '1' } },
  });
  const { Table } = ask(engine, 'DescribeTable', { TableName: 'restored' }) as { Table: object };
  expect(Table).toMatchObject({ GlobalSecondaryIndexes: [{ IndexName: 'list' }, { IndexName: 'order' }] });
  expect(Table).toMatchObject({ RestoreSummary: { RestoreDateTime: at, RestoreInProgress: false } });
  expect(Table).not.toHaveProperty('LatestStreamArn');
  expect(() => restore(at)).toThrow(expect.objectContaining({ name: 'TableAlreadyExistsException' }));
  expect(() => restore(at + 3600, 'other')).toThrow(expect.objectContaining({ name: 'InvalidRestoreTimeException' }));
});

// A consumer stores its position by the shard: in another table's stream it would skip that many changes.
test('no two streams have a shard of the same id', () => {
  const engine = withTable();
  ask(engine, 'CreateTable', { ...TABLE, TableName: 'other' });
  const [one, other] = [TableName, 'other'].map((name) => {
    const { Table } = ask(engine, 'DescribeTable', { TableName: name }) as { Table: { LatestStreamArn: string } };
    const StreamArn = Table.LatestStreamArn;
    const described = ask(engine, 'DescribeStream', { StreamArn }) as {
      StreamDescription: { Shards: { ShardId: string }[] };
    };
    return { StreamArn, ShardId: described.StreamDescription.Shards[0]?.ShardId };
  });
  expect(one?.ShardId).not.toBe(other?.ShardId);
  const mixed = { StreamArn: other?.StreamArn, ShardId: one?.ShardId, ShardIteratorType: 'TRIM_HORIZON' };
  expect(() => ask(engine, 'GetShardIterator', mixed)).toThrow(
    expect.objectContaining({ name: 'ResourceNotFoundException' }),
  );
});

test('a transaction that is repeated with its token is made once, whatever its conditions say by then', () => {
  const engine = withTable();
  const once = { Put: { TableName, Item: item('a'), ConditionExpression: 'attribute_not_exists(pk)' } };
  const transact = (ClientRequestToken: string) =>
    ask(engine, 'TransactWriteItems', { ClientRequestToken, TransactItems: [once] });
  expect(transact('first')).toEqual({});
  expect(transact('first')).toEqual({});
  const refused = expect.objectContaining({ name: 'TransactionCanceledException' });
  expect(() => transact('second')).toThrow(refused);
  // A refused one was not made: its token is free.
  expect(() => transact('second')).toThrow(refused);
});

test('what was before expressions, and what it does not know, is refused by name', () => {
  const engine = withTable();
  expect(() => ask(engine, 'PutItem', { TableName, Item: item('a'), Expected: {} })).toThrow(
    /Expected is not supported/,
  );
  expect(() => ask(engine, 'ExecuteStatement', {})).toThrow(
    expect.objectContaining({ name: 'UnknownOperationException' }),
  );
});
