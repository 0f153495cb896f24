import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { jsonOperations, ServiceError, serve } from '../emulators/wire.ts';
import { isObject, type Json, type JsonObject } from '../template/intrinsics.ts';
import type { Resource } from '../template/template.ts';
import { startStreamSource } from './streams.ts';

const ends: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Shard {
  id: string;
  parent?: string;
  closed: boolean;
  records: { name: string; pk: string; account?: string }[];
}

interface Asked {
  operation: string;
  /** Position of operations that have one: `<shard>/<index>`. */
  position: string;
}

/**
 * Emulates a table's stream with these shards, and a queue that stores its messages. `refuse` returns the error of a
 * call.
 */
async function engine(shards: Shard[], refuse: (asked: Asked) => string | undefined = () => undefined) {
  const sent: Json[] = [];
  const meet = (operation: string, position = '') => {
    const name = refuse({ operation, position });
    if (name) throw new ServiceError(name, 'not now', name.startsWith('Internal') ? 500 : 400);
  };
  const sequence = (shard: Shard, index: number): string => `${shard.id}-${String(index).padStart(6, '0')}`;
  const read = (body: Buffer): Record<string, string> => JSON.parse(body.toString());
  const standIn = await serve(
    0,
    'application/x-amz-json-1.0',
    jsonOperations({
      DescribeTable() {
        meet('DescribeTable');
        return { Table: { LatestStreamArn: 'stream' } };
      },
      DescribeStream() {
        meet('DescribeStream');
        return {
          StreamDescription: { Shards: shards.map(({ id, parent }) => ({ ShardId: id, ParentShardId: parent })) },
        };
      },
      GetShardIterator(body) {
        const { ShardId = '', SequenceNumber } = read(body);
        const after = SequenceNumber ? Number(SequenceNumber.split('-')[1]) + 1 : 0;
        meet('GetShardIterator', `${ShardId}/${after}`);
        return { ShardIterator: `${ShardId}/${after}` };
      },
      GetRecords(body) {
        const position = read(body).ShardIterator ?? '';
        meet('GetRecords', position);
        const [id, from = '0'] = position.split('/');
        const shard = shards.find((each) => each.id === id);
        if (!shard) throw new Error('no such shard');
        const Records = shard.records.slice(Number(from)).map(({ name, pk, account }, index) => ({
          eventName: 'INSERT',
          dynamodb: {
            SequenceNumber: sequence(shard, Number(from) + index),
            ApproximateCreationDateTime: Date.now() / 1000,
            Keys: { pk: { S: pk } },
            NewImage: { name: { S: name }, ...(account ? { accountId: { S: account } } : {}) },
          },
        }));
        return { Records, ...(shard.closed ? {} : { NextShardIterator: `${id}/${shard.records.length}` }) };
      },
      SendMessage(body) {
        meet('SendMessage');
        sent.push(JSON.parse(read(body).MessageBody ?? '{}'));
        return {};
      },
    }),
  );
  ends.push(() => standIn.stop());
  return { url: standIn.url, sent };
}

const directory = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'streams-'));
  ends.push(() => rmSync(made, { recursive: true, force: true }));
  return made;
};

/** Feeds a function from the stream; `fails` selects the records for which it throws. */
function source(
  url: string,
  checkpointFile: string,
  properties: JsonObject,
  fails: (name: string) => boolean = () => false,
) {
  const seen: string[] = [];
  const mapping: Resource = {
    type: '',
    stack: '',
    account: '',
    logicalId: 'Mapping',
    name: 'Mapping',
    arn: '',
    ref: '',
    properties: {
      EventSourceArn: 'arn:aws:dynamodb:af-south-1:000000000000:table/t/stream/local',
      FunctionName: 'fn',
      ...properties,
    },
  };
  const started = startStreamSource({
    mapping,
    table: 't',
    region: 'af-south-1',
    dynamoDbUrl: url,
    queuesUrl: url,
    checkpointFile,
    lambda: {
      invoke: async (_, event) => {
        const records = isObject(event) && Array.isArray(event.Records) ? event.Records : [];
        const names = records.map((record) => /"name":\{"S":"(\w+)"/.exec(JSON.stringify(record))?.[1] ?? '?');
        if (names.some(fails)) throw new Error('failed');
        seen.push(...names);
        return null;
      },
    },
  });
  ends.push(() => started.stop());
  const until = async (count: number): Promise<string[]> => {
    await expect.poll(() => seen.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(count);
    // What is delivered too often comes soon.
    await sleep(30);
    return seen;
  };
  return { until, stop: started.stop };
}

const records = (names: string, pk?: string) => [...names].map((name) => ({ name, pk: pk ?? name }));

test('delivers records in order, shard after shard, and resumes after the last processed one', async () => {
  const first: Shard = { id: 's1', closed: true, records: records('abc', 'one') };
  const second: Shard = { id: 's2', parent: 's1', closed: false, records: records('de', 'one') };
  const { url } = await engine([second, first]);
  const file = join(directory(), 'mapping.json');
  const before = source(url, file, {});
  expect(await before.until(5)).toEqual([...'abcde']);
  await before.stop();
  second.records.push(...records('fg', 'one'));
  expect(await source(url, file, {}).until(2)).toEqual(['f', 'g']);
});

test('delivers matching records and advances past filtered ones', async () => {
  const shard: Shard = { id: 's1', closed: false, records: records('abxb') };
  const { url } = await engine([shard]);
  const file = join(directory(), 'mapping.json');
  const pattern = JSON.stringify({ dynamodb: { Keys: { pk: { S: ['a', 'x'] } } } });
  const filtered = source(url, file, { FilterCriteria: { Filters: [{ Pattern: pattern }] } });
  expect(await filtered.until(2)).toEqual(['a', 'x']);
  await filtered.stop();
  expect(await source(url, file, {}).until(0)).toEqual([]);
});

test('sends a persistently failing record to the destination and processes the others', async () => {
  const { url, sent } = await engine([{ id: 's1', closed: false, records: records('abc', 'one') }]);
  const failing = source(
    url,
    join(directory(), 'mapping.json'),
    {
      MaximumRetryAttempts: 0,
      BisectBatchOnFunctionError: true,
      DestinationConfig: { OnFailure: { Destination: 'arn:aws:sqs:af-south-1:000000000000:failures' } },
    },
    (name) => name === 'b',
  );
  expect((await failing.until(2)).sort()).toEqual(['a', 'c']);
  expect(sent).toMatchObject([
    {
      requestContext: { functionArn: 'fn', condition: 'RetryAttemptsExhausted' },
      DDBStreamBatchInfo: { shardId: 's1', startSequenceNumber: 's1-000001', batchSize: 1 },
    },
  ]);
});

test('a destination that fails holds up its records only until it takes them', async () => {
  const refusals = ['InternalFailure', 'AccessDenied'];
  const refuse = ({ operation }: Asked) => (operation === 'SendMessage' ? refusals.shift() : undefined);
  const { url, sent } = await engine([{ id: 's1', closed: false, records: records('ab', 'one') }], refuse);
  const properties = {
    MaximumRetryAttempts: 0,
    BisectBatchOnFunctionError: true,
    DestinationConfig: { OnFailure: { Destination: 'arn:aws:sqs:af-south-1:000000000000:failures' } },
  };
  const failing = source(url, join(directory(), 'mapping.json'), properties, (name) => name === 'a');
  expect(await failing.until(1)).toEqual(['b']);
  expect(sent).toMatchObject([{ DDBStreamBatchInfo: { startSequenceNumber: 's1-000000', batchSize: 1 } }]);
});

test('neither skips a failing partition nor blocks the others', async () => {
  const shard: Shard = { id: 's1', closed: false, records: [...records('x'), ...records('abcdefgh')] };
  const { url } = await engine([shard]);
  const file = join(directory(), 'mapping.json');
  const stuck = source(url, file, { ParallelizationFactor: 10, BatchSize: 1 }, (name) => name === 'x');
  // Some of the others share the failing partition's lane.
  await stuck.until(3);
  await stuck.stop();
  expect(await source(url, file, { BatchSize: 1 }).until(9)).toContain('x');
});

test('an account whose changes are not worked on keeps no other waiting, and gets its own again after a crash', async () => {
  const noisy = Array.from({ length: 5000 }, (_, index) => ({ name: `n${index}`, pk: `n${index}`, account: 'noisy' }));
  const shard: Shard = { id: 's1', closed: false, records: [...noisy, { name: 'q', pk: 'q', account: 'quiet' }] };
  const { url } = await engine([shard]);
  const file = join(directory(), 'mapping.json');
  const stuck = source(url, file, { ParallelizationFactor: 10 }, (name) => name.startsWith('n'));
  expect(await stuck.until(1)).toEqual(['q']);
  await stuck.stop();
  const again = await source(url, file, { ParallelizationFactor: 10 }).until(5001);
  expect(new Set(again).size).toBe(5001);
});

describe('an outage of the stream', () => {
  /** Feeds from one growing shard while `refuse` injects errors. */
  async function during(refuse: (asked: Asked) => string | undefined, names = 'abcdef') {
    const shard: Shard = { id: 's1', closed: false, records: records(names.slice(0, 2), 'one') };
    const { url } = await engine([shard], refuse);
    const fed = source(url, join(directory(), 'mapping.json'), {});
    await sleep(200);
    shard.records.push(...records(names.slice(2), 'one'));
    return await fed.until(names.length);
  }

  test.each(['DescribeTable', 'DescribeStream', 'GetShardIterator', 'GetRecords'])(
    'while %s is refused nothing is passed over, and the backlog comes in order',
    async (refused) => {
      let until: number | undefined;
      const errors = ['InternalServerError', 'LimitExceededException', 'ProvisionedThroughputExceededException'];
      let calls = 0;
      const seen = await during(({ operation }) => {
        if (operation !== refused) return undefined;
        until ??= Date.now() + 700;
        if (Date.now() > until) return undefined;
        calls += 1;
        return errors[calls % errors.length];
      });
      expect(seen).toEqual([...'abcdef']);
      expect(calls).toBeGreaterThan(0);
    },
  );

  test('redelivers nothing in progress after an outage', async () => {
    let read = 0;
    const seen = await during(({ operation }) => {
      if (operation !== 'GetRecords') return undefined;
      read += 1;
      return read > 1 && read < 4 ? 'InternalServerError' : undefined;
    });
    expect(seen).toEqual([...'abcdef']);
  });

  test('replaces an expired iterator with one after the last record', async () => {
    let iterators = 0;
    let expired = false;
    const seen = await during(({ operation, position }) => {
      iterators += operation === 'GetShardIterator' ? 1 : 0;
      if (operation !== 'GetRecords' || position !== 's1/2' || expired) return undefined;
      expired = true;
      return 'ExpiredIteratorException';
    });
    expect(seen).toEqual([...'abcdef']);
    expect([iterators, expired]).toEqual([2, true]);
  });

  test.each(['GetShardIterator', 'GetRecords'])(
    'a run that comes back to trimmed records (%s says so) goes on with what is left',
    async (says) => {
      const shard: Shard = { id: 's1', closed: false, records: records('ab', 'one') };
      let trimmed = false;
      const { url } = await engine([shard], ({ operation, position }) =>
        trimmed && operation === says && position === 's1/2' ? 'TrimmedDataAccessException' : undefined,
      );
      const file = join(directory(), 'mapping.json');
      const before = source(url, file, {});
      await before.until(2);
      await before.stop();
      trimmed = true;
      // Removes the records that were read, and more.
      shard.records.splice(0, 2, ...records('ef', 'one'));
      expect(await source(url, file, {}).until(2)).toEqual(['e', 'f']);
    },
  );

  test('does not block other shards when one no longer exists', async () => {
    const shards: Shard[] = [{ id: 's1', closed: false, records: records('ab', 'one') }];
    const { url } = await engine(shards, ({ position }) =>
      position.startsWith('s1/') && !shards.some(({ id }) => id === 's1') ? 'ResourceNotFoundException' : undefined,
    );
    const fed = source(url, join(directory(), 'mapping.json'), {});
    await fed.until(2);
    shards.splice(0, 1, { id: 's2', parent: 's1', closed: false, records: records('cd', 'one') });
    expect(await fed.until(4)).toEqual([...'abcd']);
  });
});
