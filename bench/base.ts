import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADMINISTRATOR, REGION } from '../local/addresses.ts';
import { call } from '../local/engines/wire.ts';
import { startChildren } from '../local/processes/children.ts';
import { freePort } from '../local/processes/ports.ts';
import { startDynamoDbLocal } from '../test/support/dynamodb-local.ts';
import { commandOf, cpuSecondsOf, treeOf } from './processes/tree.ts';

const TableName = 'base';
const Key = { pk: { S: 'BENCH' }, sk: { S: 'BENCH' } };
const text = (AttributeName: string) => ({ AttributeName, AttributeType: 'S' });

/**
 * The baseline of a request: the UpdateItem and the GetItem that every authenticated request needs, on AWS's DynamoDB Local in memory,
 * on a table with a stream.
 */
export interface Base {
  url: string;
  /** Makes both calls, as the platform's functions do. */
  run(): Promise<void>;
  /** Returns the processor seconds that DynamoDB Local has used so far. */
  seconds(): number;
  stop(): Promise<void>;
}

export async function startBase(): Promise<Base> {
  const folder = mkdtempSync(join(tmpdir(), 'base-'));
  const children = startChildren(folder, { temporary: true });
  const url = await startDynamoDbLocal(children, await freePort());
  await call(url, 'dynamodb', 'CreateTable', {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [text('pk'), text('sk')],
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  });
  Object.assign(process.env, ADMINISTRATOR, { AWS_REGION: REGION, AWS_ENDPOINT_URL_DYNAMODB: url });
  const { callAws } = await import('../runtime/aws/client.ts');
  const java = treeOf(process.pid).filter((pid) => commandOf(pid).startsWith('java'));
  return {
    url,
    async run() {
      await callAws('dynamodb', 'UpdateItem', {
        TableName,
        Key,
        UpdateExpression: 'ADD hits :one',
        ReturnValues: 'ALL_NEW',
        ExpressionAttributeValues: { ':one': { N: '1' } },
      });
      await callAws('dynamodb', 'GetItem', { TableName, Key, ConsistentRead: true });
    },
    seconds: () => cpuSecondsOf(java),
    async stop() {
      await children.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
