import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEngine, type Engine } from '../../local/emulators/dynamodb/engine.ts';
import { DynamoDbError } from '../../local/emulators/dynamodb/errors.ts';
import { call, WireError } from '../../local/engines/wire.ts';
import { startChildren } from '../../local/processes/children.ts';
import { freePort } from '../../local/processes/ports.ts';
import { startDynamoDbLocal } from '../support/dynamodb-local.ts';
import { CASES, operation, type Request, TABLE } from '../support/table-requests.ts';

/** The local run's table answers as AWS's own emulator: the same outputs, the same refusals, the same stream. */

const folder = mkdtempSync(join(tmpdir(), 'table-engine-'));
const children = startChildren(folder);
let url: string;
beforeAll(async () => {
  url = await startDynamoDbLocal(children, await freePort());
}, 120_000);
afterAll(async () => {
  await children.stop();
  rmSync(folder, { recursive: true, force: true });
});

type Outcome = { output: unknown } | { refused: string; reasons?: unknown };

/** Sets differ in the order of their members, and reasons in the wording of their messages. Capacity is compared nowhere: DynamoDB Local tells it unasked. */
function comparable(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) {
    const all = value.map((each) => comparable(each));
    return ['SS', 'NS', 'BS'].includes(name) ? all.toSorted() : all;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => !['Message', 'message', 'ConsumedCapacity'].includes(key));
  return Object.fromEntries(entries.map(([key, each]) => [key, comparable(each, key)]));
}

const ofEngine = (engine: Engine, { name, input }: Request): Outcome => {
  try {
    return { output: comparable(JSON.parse(engine.run(name, JSON.stringify(input)))) };
  } catch (error) {
    if (!(error instanceof DynamoDbError)) throw error;
    return { refused: error.name };
  }
};
const ofAws = async ({ name, input }: Request): Promise<Outcome> => {
  try {
    return { output: comparable(await call(url, 'dynamodb', name, input)) };
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return { refused: error.name };
  }
};

/** Returns a stream's records without what differs by engine. */
async function changesOf(
  ask: (name: string, input: object) => Promise<Record<string, unknown>>,
  StreamArn: unknown,
): Promise<unknown[]> {
  const described = (await ask('DescribeStream', { StreamArn })).StreamDescription as { Shards: { ShardId: string }[] };
  const found: unknown[] = [];
  for (const { ShardId } of described.Shards) {
    let { ShardIterator } = await ask('GetShardIterator', { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' });
    for (;;) {
      const page = await ask('GetRecords', { ShardIterator });
      const records = page.Records as { eventName: string; dynamodb: Record<string, unknown> }[];
      if (records.length === 0) break;
      for (const { eventName, dynamodb } of records) {
        const { Keys, NewImage, OldImage } = dynamodb;
        found.push(comparable({ eventName, Keys, NewImage, OldImage }));
      }
      ShardIterator = page.NextShardIterator;
    }
  }
  return found;
}

/** Runs the same requests on a new table of each engine and compares every outcome, and the streams. */
async function compare(requests: readonly Request[]): Promise<void> {
  const engine = createEngine({ region: 'local', account: '000000000000' });
  engine.run('CreateTable', JSON.stringify(TABLE));
  const { TableDescription } = await call(url, 'dynamodb', 'CreateTable', TABLE);
  try {
    for (const request of requests)
      expect(ofEngine(engine, request), JSON.stringify(request)).toEqual(await ofAws(request));
    const ours = JSON.parse(engine.run('DescribeTable', JSON.stringify(TABLE)));
    expect(
      await changesOf(
        async (name, input) => JSON.parse(engine.run(name, JSON.stringify(input))),
        ours.Table.LatestStreamArn,
      ),
    ).toEqual(
      await changesOf(
        (name, input) => call(url, 'streams', name, input),
        (TableDescription as Record<string, unknown>).LatestStreamArn,
      ),
    );
  } finally {
    await call(url, 'dynamodb', 'DeleteTable', { TableName: TABLE.TableName });
    engine.close();
  }
}

test.for(Object.keys(CASES))('%s', async (name) => {
  await compare(CASES[name] ?? []);
});

test('any sequence of requests', { timeout: 600_000 }, async () => {
  await fc.assert(fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 40 }), compare), { numRuns: 60 });
});
