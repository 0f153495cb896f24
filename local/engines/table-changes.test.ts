import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Children, startChildren } from '../processes/children.ts';
import { freePort } from '../processes/ports.ts';
import type { JsonObject } from '../template/intrinsics.ts';
import type { Template } from '../template/template.ts';
import { createTables, startDynamoDb } from './dynamodb.ts';
import { updateIndexes } from './table-changes.ts';
import { call } from './wire.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'indexes-'));
let children: Children;
let url = '';
beforeAll(async () => {
  children = startChildren(dataDir, { temporary: true, onExit: () => undefined });
  url = await startDynamoDb({ port: await freePort(), children });
});
afterAll(async () => {
  await children.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const attributes = (...names: string[]) => names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' }));
const keys = (hash: string, range?: string) => [
  { AttributeName: hash, KeyType: 'HASH' },
  ...(range ? [{ AttributeName: range, KeyType: 'RANGE' }] : []),
];
const index = (IndexName: string, KeySchema: JsonObject[], ProjectionType: string): JsonObject => ({
  IndexName,
  KeySchema,
  Projection: { ProjectionType },
});

test('a table of an earlier version gets the indexes that it lacks, filled with its items', async () => {
  const table = { TableName: 'old', BillingMode: 'PAY_PER_REQUEST' };
  const list = index('list', keys('listPk', 'listSk'), 'ALL');
  await call(url, 'dynamodb', 'CreateTable', {
    ...table,
    KeySchema: keys('pk'),
    AttributeDefinitions: attributes('pk', 'listPk', 'listSk', 'duePk'),
    GlobalSecondaryIndexes: [list, index('due', keys('duePk'), 'ALL')],
  });
  const item = Object.fromEntries(['pk', 'listPk', 'listSk', 'duePk', 'dueAt'].map((name) => [name, { S: name }]));
  await call(url, 'dynamodb', 'PutItem', { TableName: 'old', Item: item });
  const wanted: JsonObject = {
    ...table,
    KeySchema: keys('pk'),
    AttributeDefinitions: attributes('pk', 'listPk', 'listSk', 'duePk', 'dueAt'),
    GlobalSecondaryIndexes: [
      list,
      index('order', keys('listPk', 'listSk'), 'KEYS_ONLY'),
      index('due', keys('duePk', 'dueAt'), 'KEYS_ONLY'),
    ],
  };
  expect(await updateIndexes(url, wanted)).toEqual(['order', 'due']);
  expect(await updateIndexes(url, wanted)).toEqual([]);
  for (const [name, attribute] of [
    ['order', 'listPk'],
    ['due', 'duePk'],
  ]) {
    const found = await call(url, 'dynamodb', 'Query', {
      TableName: 'old',
      IndexName: name,
      KeyConditionExpression: `${attribute} = :value`,
      ExpressionAttributeValues: { ':value': { S: attribute } },
    });
    expect(found.Count).toBe(1);
  }
});

test('a table of a version with DynamoDB Local is copied once, and its items are no changes', async () => {
  const folder = join(dataDir, 'earlier');
  mkdirSync(folder);
  const database = new DatabaseSync(join(folder, 'shared-local-instance.db'));
  database.exec('CREATE TABLE "copied" (hashKey TEXT, rangeKey TEXT, ObjectJSON BLOB NOT NULL)');
  for (let count = 0; count < 60; count += 1)
    database
      .prepare('INSERT INTO "copied" VALUES (?, ?, ?)')
      .run(`p${count}`, null, Buffer.from(JSON.stringify({ pk: { S: `p${count}` }, n: { N: String(count) } })));
  database.close();
  const properties = {
    AttributeDefinitions: attributes('pk'),
    KeySchema: keys('pk'),
    StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
  };
  const resources = (type: string) => (type === 'AWS::DynamoDB::Table' ? [{ name: 'copied', properties }] : []);
  const template = { resources } as unknown as Template;
  await createTables(url, template, folder);
  await call(url, 'dynamodb', 'PutItem', { TableName: 'copied', Item: { pk: { S: 'later' } } });
  await createTables(url, template, folder);
  expect((await call(url, 'dynamodb', 'Scan', { TableName: 'copied' })).Count).toBe(61);
  const { LatestStreamArn } = (await call(url, 'dynamodb', 'DescribeTable', { TableName: 'copied' }))
    .Table as JsonObject;
  const { Shards } = (await call(url, 'streams', 'DescribeStream', { StreamArn: LatestStreamArn }))
    .StreamDescription as {
    Shards: JsonObject[];
  };
  const start = { StreamArn: LatestStreamArn, ShardId: Shards[0]?.ShardId, ShardIteratorType: 'TRIM_HORIZON' };
  const { ShardIterator } = await call(url, 'streams', 'GetShardIterator', start);
  expect((await call(url, 'streams', 'GetRecords', { ShardIterator })).Records).toHaveLength(1);
});
