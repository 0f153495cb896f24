import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Children, startChildren } from '../processes/children.ts';
import { freePort } from '../processes/ports.ts';
import type { JsonObject } from '../template/intrinsics.ts';
import { startDynamoDb } from './dynamodb.ts';
import { updateIndexes } from './table-changes.ts';
import { call } from './wire.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'indexes-'));
let children: Children;
let url = '';
beforeAll(async () => {
  children = startChildren(dataDir, { temporary: true, onExit: () => undefined });
  url = await startDynamoDb({ port: await freePort(), children });
}, 60_000);
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
  ...{ IndexName, KeySchema, Projection: { ProjectionType } },
});

test('a table of an earlier version gets the indexes that it lacks, filled with its items', async () => {
  const table = { TableName: 'old', BillingMode: 'PAY_PER_REQUEST' };
  const list = index('list', keys('listPk', 'listSk'), 'ALL');
  await call(url, 'dynamodb', 'CreateTable', {
    ...{ ...table, KeySchema: keys('pk'), AttributeDefinitions: attributes('pk', 'listPk', 'listSk', 'duePk') },
    GlobalSecondaryIndexes: [list, index('due', keys('duePk'), 'ALL')],
  });
  const item = Object.fromEntries(['pk', 'listPk', 'listSk', 'duePk', 'dueAt'].map((name) => [name, { S: name }]));
  await call(url, 'dynamodb', 'PutItem', { TableName: 'old', Item: item });
  const wanted: JsonObject = {
    ...{
      ...table,
      KeySchema: keys('pk'),
      AttributeDefinitions: attributes('pk', 'listPk', 'listSk', 'duePk', 'dueAt'),
    },
    GlobalSecondaryIndexes: [
      ...[list, index('order', keys('listPk', 'listSk'), 'KEYS_ONLY')],
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
      ...{ TableName: 'old', IndexName: name, KeyConditionExpression: `${attribute} = :value` },
      ExpressionAttributeValues: { ':value': { S: attribute } },
    });
    expect(found.Count).toBe(1);
  }
}, 60_000);
