import { expect, test } from 'vitest';
import type { FailedMessage } from '../../providers/queues/failure-queue.ts';
import { createReplays } from '../../providers/queues/replays.ts';
import { toItem } from '../../table/attributes.ts';
import { simulation } from '../../test/simulation/simulation.ts';
import { countQuarantined } from '../processes/quarantine.ts';
import { describeFailure } from './failure-descriptions.ts';
import {
  discardFailures,
  type FailureDeps,
  listFailures,
  type ReplayDeps,
  readFailures,
  replayFailures,
} from './failures.ts';

const ARN = 'arn:aws:lambda:af-south-1:1:function:hosting-prod-stream-onTableChange';

test.each([
  [
    { accountId: 'acc_1', webhookId: 'whk_1', eventId: 'evt_1', deliveryId: 'dlv_1', step: 1 },
    { description: 'Attempt 2 at delivery dlv_1 of event evt_1 to endpoint whk_1', accountId: 'acc_1', error: null },
  ],
  [
    { accountId: 'acc_1', domainId: 'dom_1' },
    { description: 'Sync of the zone of domain dom_1', accountId: 'acc_1', error: null },
  ],
  [
    { job: 'deployment.start', key: { pk: 'ACCOUNT#acc_1#DEPLOYMENT#dep_1', sk: 'DEPLOYMENT' }, accountId: 'acc_1' },
    { description: 'Job deployment.start of ACCOUNT acc_1 DEPLOYMENT dep_1', accountId: 'acc_1', error: null },
  ],
  [
    {
      requestContext: { functionArn: ARN, condition: 'RetryAttemptsExhausted' },
      DDBStreamBatchInfo: {
        streamArn: 'arn:stream',
        shardId: 'shard-1',
        startSequenceNumber: '100',
        endSequenceNumber: '100',
        batchSize: 1,
      },
    },
    {
      description: '1 changes from 100 of shard shard-1, refused by hosting-prod-stream-onTableChange',
      accountId: null,
      error: 'RetryAttemptsExhausted',
    },
  ],
  [
    {
      requestContext: { functionArn: ARN, condition: 'RetriesExhausted' },
      responsePayload: { errorMessage: 'no table' },
    },
    { description: 'Run of hosting-prod-stream-onTableChange', accountId: null, error: 'no table' },
  ],
  ['{}', { description: '{}', accountId: null, error: null }],
])('describes %j', (message, described) => {
  expect(describeFailure({ body: typeof message === 'string' ? message : JSON.stringify(message) })).toEqual(described);
});

const CONSUMER = 'arn:aws:lambda:af-south-1:1:function:consumer';
const batch = (startSequenceNumber: string, endSequenceNumber = startSequenceNumber) =>
  JSON.stringify({
    requestContext: { functionArn: CONSUMER, condition: 'RetryAttemptsExhausted' },
    DDBStreamBatchInfo: {
      streamArn: 'arn:stream',
      shardId: 'shard-1',
      startSequenceNumber,
      endSequenceNumber,
      batchSize: 1,
    },
  });
const run = (functionArn: string) =>
  JSON.stringify({ requestContext: { functionArn, condition: 'RetriesExhausted' }, requestPayload: {} });

/** Sets up a stream with the records 100 to 104 in pages of two, and queues with these messages. */
function setUp(
  bodies: (string | Pick<FailedMessage, 'body' | 'refused'>)[],
  failing: string[] = [],
  mailFrom?: string,
  /** Duration of a receive, in milliseconds. */
  receiveMs = 0,
) {
  const { steady, clock } = simulation();
  const { deps } = steady;
  const waiting = bodies.map((given, at): FailedMessage => {
    const message = typeof given === 'string' ? { body: given } : given;
    return { ...message, id: `${at}`, receipt: `${at}`, sentAt: new Date(0) };
  });
  const hidden: FailedMessage[] = [];
  const failures = {
    count: async () => waiting.length,
    take: async () => {
      clock.now += receiveMs;
      const taken = waiting.splice(0, 10);
      hidden.push(...taken);
      return taken;
    },
    remove: async ({ id }: FailedMessage) => {
      if (failing.includes(`removal of ${id}`)) throw new Error('throttled');
      const at = hidden.findIndex((message) => message.id === id);
      hidden.splice(at, 1);
    },
    release: async ({ id }: FailedMessage) => {
      const at = hidden.findIndex((message) => message.id === id);
      waiting.push(...hidden.splice(at, 1));
    },
  };
  const changes: unknown[] = [];
  const invoked: [functionArn: string, event: object, waits: boolean][] = [];
  const page = (from: number) => ({
    Records: [from, from + 1]
      .filter((number) => number <= 104)
      .map((number) => ({ dynamodb: { SequenceNumber: String(number) } })),
    ...(from + 2 <= 104 ? { NextShardIterator: String(from + 2) } : {}),
  });
  const replays = createReplays(
    async <Output>(operation: string, input: object) => {
      const { SequenceNumber = '', ShardIterator } = input as Record<string, string>;
      if (Number(SequenceNumber) < 100 && operation === 'GetShardIterator')
        throw Object.assign(new Error('gone'), { name: 'TrimmedDataAccessException' });
      return (operation === 'GetRecords' ? page(Number(ShardIterator)) : { ShardIterator: SequenceNumber }) as Output;
    },
    async (functionArn, event, waits) => {
      invoked.push([functionArn, event, waits]);
      return failing.includes(functionArn) ? 'it failed again' : undefined;
    },
  );
  const failureQueues = { mails: failures, dns: failures, stream: failures, schedules: failures };
  const mailed: unknown[] = [];
  let mails = 0;
  const errors: [name: string, error: string][] = [];
  const needs = {
    ...deps,
    settings: { ...deps.settings, mailFrom },
    failureQueues,
    replays,
    jobs: {
      mails: {
        send: async (jobs: unknown[]) => {
          if (failing.includes(`mail ${mails++}`)) throw new Error('throttled');
          mailed.push(...jobs);
        },
      },
    },
    onReplayError: (name: string, error: unknown) => errors.push([name, String(error)]),
    queue: undefined,
    zoneSyncQueue: undefined,
  } as unknown as ReplayDeps;
  const replay = async (name: 'stream' | 'schedules' | 'dns' | 'mails') =>
    (await replayFailures(needs, { accountId: '', keyId: '' }, { name, reason: 'Mended.' })).data;
  const discard = async () => {
    const commit: typeof deps.commit = async (writes, output, change) => {
      changes.push(change?.after);
      return await deps.commit(writes, output, change);
    };
    const input = { name: 'stream' as const, reason: 'Lost.' };
    return (await discardFailures({ ...needs, commit }, { accountId: '', keyId: '' }, input)).data;
  };
  const read = () => readFailures(needs, { accountId: '', keyId: '' }, { name: 'stream' });
  return {
    replay,
    discard,
    read,
    invoked,
    mailed,
    discarded: changes,
    errors,
    left: () => waiting.map(({ body }) => body),
  };
}
const changes = (...numbers: number[]) => ({
  Records: numbers.map((number) => ({ dynamodb: { SequenceNumber: String(number) } })),
});

test('replays failed changes: reads them from the stream, over several pages, and invokes its consumer', async () => {
  const { replay, invoked, left } = setUp([batch('101'), batch('101', '103')]);
  expect(await replay('stream')).toEqual({ count: 2, kept: 0 });
  expect(invoked).toEqual([
    [CONSUMER, changes(101), true],
    [CONSUMER, changes(101, 102, 103), true],
  ]);
  expect(left()).toEqual([]);
});

test('a replay keeps changes that the stream has lost or that fail again, and messages of another kind', async () => {
  const trimmed = setUp([batch('9'), '{}', batch('100')]);
  expect(await trimmed.replay('stream')).toEqual({ count: 1, kept: 2 });
  expect(trimmed.left()).toEqual([batch('9'), '{}']);
  const failing = setUp([batch('100')], [CONSUMER]);
  expect(await failing.replay('stream')).toEqual({ count: 0, kept: 1 });
  expect(await setUp(['no json']).replay('dns')).toEqual({ count: 0, kept: 1 });
});

test('a message whose replay throws stays, and holds up no other', async () => {
  const job = JSON.stringify({ job: 'notification.mail', key: { pk: 'p', sk: 's' } });
  const { replay, mailed, errors, left } = setUp([job, job, job], ['mail 1'], 'hosting@example.com');
  expect(await replay('mails')).toEqual({ count: 2, kept: 1 });
  expect(mailed).toHaveLength(2);
  expect(errors).toEqual([['mails', 'Error: throttled']]);
  expect(left()).toEqual([job]);
});

test('replays emails only if the installation has a sender of emails', async () => {
  const job = JSON.stringify({ job: 'notification.mail', key: { pk: 'p', sk: 's' } });
  const without = setUp([job]);
  await expect(without.replay('mails')).rejects.toMatchObject({ code: 'conflict' });
  expect(without.left()).toEqual([job]);
  const { replay, mailed } = setUp([job], [], 'no-reply@example.com');
  expect(await replay('mails')).toEqual({ count: 1, kept: 0 });
  expect(mailed).toEqual([JSON.parse(job)]);
});

test('all messages that one call discards fit into the audit entry, even if they are full of quotes', async () => {
  const { discard, discarded } = setUp(Array.from({ length: 200 }, () => `{"${'\\"'.repeat(200)}":"x"}`));
  expect(await discard()).toEqual({ count: 200 });
  const entry = JSON.stringify(discarded[0]);
  expect(entry).toContain('199: ');
  expect(entry.length).toBeLessThan(32_768);
});

test('if a removal fails, the audit log has the discarded messages, and the remaining ones are visible immediately', async () => {
  const { discard, discarded, left } = setUp(
    Array.from({ length: 30 }, () => '{}'),
    ['removal of 15'],
  );
  await expect(discard()).rejects.toThrow('throttled');
  expect(JSON.stringify(discarded)).toContain('0: {}');
  expect(left().length).toBeLessThanOrEqual(11);
});

test('messages that a replay keeps can be read and discarded immediately, and the audit log describes them', async () => {
  const { replay, discard, discarded, left } = setUp([batch('9'), '{}']);
  expect(await replay('stream')).toEqual({ count: 0, kept: 2 });
  expect(left()).toHaveLength(2);
  expect(await discard()).toEqual({ count: 2 });
  expect(left()).toEqual([]);
  expect(discarded).toEqual([{ count: 2, items: [expect.stringMatching(/^0: 1 changes from 9 of shard/), '1: {}'] }]);
});

test.each([
  [0, 200],
  [700, 90],
  [7000, 10],
  [14_000, 1],
])(
  'a replay whose receives take %i ms each replays %i of 200 messages, and the others stay visible',
  async (ms, count) => {
    const job = JSON.stringify({ job: 'notification.mail', key: { pk: 'p', sk: 's' } });
    const { replay, left } = setUp(
      Array.from({ length: 200 }, () => job),
      [],
      'no-reply@example.com',
      ms,
    );
    expect(await replay('mails')).toEqual({ count, kept: 0 });
    expect(left()).toHaveLength(200 - count);
  },
);

test('has_more is true if a queue has more messages than are listed', async () => {
  const some = (count: number) => setUp(Array.from({ length: count }, () => '{}')).read();
  expect([await some(10), await some(11)].map(({ has_more }) => has_more)).toEqual([false, true]);
});

test('replays a job once for all its failed runs, also if it was never invoked', async () => {
  const refused = { body: '{}', refused: { functionArn: 'job:c', error: 'throttled' } };
  expect(describeFailure(refused)).toMatchObject({ error: 'throttled' });
  const { replay, invoked } = setUp([run('job:a'), run('job:a:$LATEST'), run('job:b'), refused]);
  expect(await replay('schedules')).toEqual({ count: 4, kept: 0 });
  expect(invoked).toEqual(['job:a', 'job:b', 'job:c'].map((name) => [name, {}, false]));
});

test('lists the other failure queues while one cannot be read', async () => {
  const { deps } = simulation().steady;
  const readable = { count: async () => 3 };
  const unavailable = { count: () => Promise.reject(new Error('SQS is unavailable')) };
  const queues = {
    deliveries: unavailable,
    dns: readable,
    routes: unavailable,
    payments: unavailable,
    workflows: unavailable,
    mails: unavailable,
  };
  const failureQueues = {
    ...queues,
    stream: unavailable,
    schedules: unavailable,
  } as unknown as FailureDeps['failureQueues'];
  const countErrors: [string, string][] = [];
  const onCountError = (name: string, error: unknown) => void countErrors.push([name, String(error)]);
  const { data } = await listFailures({ ...deps, failureQueues, onCountError });
  const countOf = (wanted: string) => data.find(({ name }) => name === wanted)?.count;
  expect([countOf('deliveries'), countOf('dns'), countOf('quarantine')]).toEqual([null, 3, 0]);
  expect(countErrors[0]).toEqual(['deliveries', 'Error: SQS is unavailable']);
  expect(countErrors).toHaveLength(Object.values(queues).filter((queue) => queue === unavailable).length + 2);
});

test('a call replays or discards as many quarantined items as the contract says, and leaves the others', async () => {
  const { memory, steady } = simulation();
  const sweepFailure = { duePk: 'THING', count: 10, error: 'no', at: steady.deps.now().toISOString() };
  for (let index = 0; index < 450; index += 1) {
    const item = { pk: `THING#${index}`, sk: 'THING', duePk: 'QUARANTINE', dueAt: sweepFailure.at, sweepFailure };
    await memory.send('PutItem', { Item: toItem(item) });
  }
  const deps = steady.deps as ReplayDeps;
  const by = { accountId: '', keyId: '' };
  const asked = { name: 'quarantine', reason: 'Mended.' } as const;
  expect((await replayFailures(deps, by, asked)).data).toEqual({ count: 200, kept: 0 });
  expect(await countQuarantined(deps)).toBe(250);
  expect((await discardFailures(deps, by, asked)).data).toEqual({ count: 200 });
  expect(await countQuarantined(deps)).toBe(50);
});
