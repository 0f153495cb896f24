import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { build } from 'esbuild';
import { startDynamoDb } from '../../local/engines/dynamodb.ts';
import { startChildren } from '../../local/processes/children.ts';
import { freePort } from '../../local/processes/ports.ts';
import { median, type Row } from '../measure.ts';

const COLD_STARTS = 15;
const WARM_CALLS = 500;

const REGION = 'us-east-1';
const TABLE = 'bench';
const KEY = { pk: 'ITEM', sk: 'ITEM' };
/** About the size of an application's item. */
const ITEM = {
  ...KEY,
  ...Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`attribute${index}`, `value ${index}`])),
  count: 7,
  enabled: true,
  tags: ['one', 'two', 'three'],
  nested: { state: 'RUNNING', changedAt: '2026-01-01T00:00:00.000Z', reason: null },
};

/** The two clients as a function bundles them. Each reads one item by its key and returns plain values. */
const LEAN = `
import { callAws } from '${resolve('runtime/aws/client.ts')}';
import { fromItem, toItem } from '${resolve('table/attributes.ts')}';
export const read = async (TableName, key) =>
  fromItem((await callAws('dynamodb', 'GetItem', { TableName, Key: toItem(key), ConsistentRead: true })).Item);`;
const SDK = `
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
export const read = async (TableName, Key) =>
  (await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;`;

/** Bundles a client as functions are bundled (lib/build/bundles.ts). */
async function bundled(folder: string, name: string, source: string): Promise<string> {
  const [entry, outfile] = [join(folder, `${name}.ts`), join(folder, `${name}.mjs`)];
  writeFileSync(entry, source);
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    logLevel: 'error',
  });
  return outfile;
}

interface Measured {
  /** Processor time of import and first call in a new process, in milliseconds. A busy machine affects it little. */
  cold: number;
  /** Median duration of the following calls, in milliseconds. */
  warm: number;
}

/** Reads the item in a new process, as a new instance of a function does. */
function measure(file: string, endpoint: string, calls: number): Measured {
  const script = `
    const started = process.cpuUsage();
    const { read } = await import(${JSON.stringify(file)});
    const item = await read('${TABLE}', ${JSON.stringify(KEY)});
    const { user, system } = process.cpuUsage(started);
    const cold = (user + system) / 1000;
    if (item.count !== ${ITEM.count}) throw new Error('the item was not read');
    const taken = [];
    for (let call = 0; call < ${calls}; call += 1) {
      const begun = performance.now();
      await read('${TABLE}', ${JSON.stringify(KEY)});
      taken.push(performance.now() - begun);
    }
    taken.sort((a, b) => a - b);
    console.log(JSON.stringify({ cold, warm: taken[taken.length >> 1] }));
    process.exit();`;
  const environment = {
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    PATH: process.env.PATH ?? '',
  };
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    env: environment,
    encoding: 'utf8',
  });
  return JSON.parse(output);
}

/** Creates a table and writes the item to read. */
async function prepareTable(endpoint: string): Promise<void> {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint, region: REGION, credentials });
  try {
    await client.send(
      new CreateTableCommand({
        TableName: TABLE,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: ['pk', 'sk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const })),
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
      }),
    );
    await DynamoDBDocumentClient.from(client).send(new PutCommand({ TableName: TABLE, Item: ITEM }));
  } finally {
    client.destroy();
  }
}

/**
 * Compares the lean AWS client with `@aws-sdk/client-dynamodb` and `lib-dynamodb`: bundle size, cold start (import and first call) and
 * following calls. A ratio above its bound means that the SDK has become light enough to replace the lean client
 * (docs/decisions/0006-lean-aws-client.md).
 */
export async function rows(): Promise<Row[]> {
  const sources = mkdtempSync(join(resolve('node_modules'), '.aws-client-'));
  const dataDir = mkdtempSync(join(tmpdir(), 'aws-client-'));
  const children = startChildren(dataDir);
  try {
    const [lean, sdk] = await Promise.all([bundled(sources, 'lean', LEAN), bundled(sources, 'sdk', SDK)]);
    const endpoint = await startDynamoDb({ children, port: await freePort() });
    await prepareTable(endpoint);
    // Alternately, so that load affects both equally. Noise only adds to a cold start, so the minimum counts.
    const starts = Array.from({ length: COLD_STARTS }, () => ({
      ours: measure(lean, endpoint, 0).cold,
      baseline: measure(sdk, endpoint, 0).cold,
    }));
    const calls = Array.from({ length: 3 }, () => ({
      ours: measure(lean, endpoint, WARM_CALLS).warm,
      baseline: measure(sdk, endpoint, WARM_CALLS).warm,
    }));
    const sizeOf = (file: string): number => statSync(file).size / 1000;
    return [
      {
        name: 'lean client against the SDK, bundle',
        ours: sizeOf(lean),
        baseline: sizeOf(sdk),
        unit: 'kB',
        maxRatio: 0.3,
      },
      {
        name: 'lean client against the SDK, cold start (processor time)',
        ours: Math.min(...starts.map(({ ours }) => ours)),
        baseline: Math.min(...starts.map(({ baseline }) => baseline)),
        unit: 'ms',
        maxRatio: 0.7,
      },
      {
        name: 'lean client against the SDK, further calls',
        ours: median(calls.map(({ ours }) => ours)),
        baseline: median(calls.map(({ baseline }) => baseline)),
        unit: 'ms',
        maxRatio: 1,
      },
    ];
  } finally {
    await children.stop();
    for (const folder of [sources, dataDir]) rmSync(folder, { recursive: true, force: true });
  }
}
