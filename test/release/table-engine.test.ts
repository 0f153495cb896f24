import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEngine, type Engine } from '../../local/emulators/dynamodb/engine.ts';
import { call } from '../../local/engines/wire.ts';
import { startChildren } from '../../local/processes/children.ts';
import { freePort } from '../../local/processes/ports.ts';
import { startDynamoDbLocal } from '../support/dynamodb-local.ts';
import { operation } from '../support/table/any-request.ts';
import { CASES } from '../support/table/cases.ts';
import { comparable, outcomesOf, type Request, TABLE } from '../support/table/requests.ts';

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

const ofEngine = (engine: Engine) => async (name: string, input: object) => engine.run(name, JSON.stringify(input));
const ofAws = (name: string, input: object) => call(url, 'dynamodb', name, input);

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

/** Runs requests on a new table of both engines. Returns the outcomes of DynamoDB Local, which ours and the streams are compared with. */
async function compare(requests: readonly Request[]): Promise<string> {
  const engine = createEngine({ region: 'local', account: '000000000000' });
  engine.run('CreateTable', JSON.stringify(TABLE));
  const { TableDescription } = await call(url, 'dynamodb', 'CreateTable', TABLE);
  try {
    const expected = await outcomesOf(requests, ofAws);
    expect(await outcomesOf(requests, ofEngine(engine))).toBe(expected);
    const ours = JSON.parse(engine.run('DescribeTable', JSON.stringify(TABLE)));
    const changes = await changesOf(
      async (name, input) => JSON.parse(engine.run(name, JSON.stringify(input))),
      ours.Table.LatestStreamArn,
    );
    const { LatestStreamArn } = TableDescription as Record<string, unknown>;
    expect(changes).toEqual(await changesOf((name, input) => call(url, 'streams', name, input), LatestStreamArn));
    return expected;
  } finally {
    await call(url, 'dynamodb', 'DeleteTable', { TableName: TABLE.TableName });
    engine.close();
  }
}

test.for(Object.keys(CASES))('%s', async (name) => {
  const file = `../../local/emulators/dynamodb/answers/${name.replaceAll(/\W+/g, '-')}.jsonl`;
  await expect(await compare(CASES[name] ?? [])).toMatchFileSnapshot(file);
});

test('any sequence of requests', { timeout: 600_000 }, async () => {
  const sequences = fc.array(operation, { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(sequences, async (requests) => void (await compare(requests))),
    { numRuns: 300 },
  );
});
