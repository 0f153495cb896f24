import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, type TestContext, test } from 'vitest';
import { listOperatorAudit, searchAccounts } from '../../../contract/operator/accounts.ts';
import {
  discardFailures,
  FAILURE_NAMES,
  listFailures,
  readFailures,
  replayFailures,
} from '../../../contract/operator/failures.ts';
import { Lookup } from '../../../table/entities/lookups.ts';
import { remove } from '../../../table/writes.ts';
import { readLogs } from '../../support/functions.ts';
import { local, newAccount, platformDeps, waitFor } from '../../support/harness.ts';
import { newOperator } from '../../support/operator.ts';

const body = { reason: 'The cause is mended.' };

/** Puts a message into a failure queue, as a queue does after the last attempt. */
async function fail(variable: string, message: object): Promise<void> {
  Object.assign(process.env, local.environment);
  const { callAws } = await import('../../../runtime/aws/client.ts');
  const QueueUrl = local.environment[variable];
  await callAws('sqs', 'SendMessage', { QueueUrl, MessageBody: JSON.stringify(message) });
}

/** Empties queues in which a failed attempt of a test has left messages. What another test leaves there is a failure. */
async function empty({ result }: TestContext['task'], ...names: (typeof FAILURE_NAMES)[number][]): Promise<void> {
  if (!result?.retryCount) return;
  const operator = await newOperator();
  for (const name of names)
    await waitFor(async () => {
      const { data } = (await operator.call(listFailures)).body;
      if (data.find((each) => each.name === name)?.count === 0) return true;
      await operator.call(discardFailures, { params: { name }, body });
      return false;
    });
}

const newDelivery = () => ({
  accountId: 'acc_failed',
  webhookId: 'whk_failed',
  eventId: `evt_${randomUUID()}`,
  deliveryId: `dlv_${randomUUID()}`,
  step: 3,
});

test('what failed is listed in words, replayed and discarded, and the log has the reason', async ({ task }) => {
  const operator = await newOperator();
  const countOf = async (name: string) => {
    const { data } = (await operator.call(listFailures)).body;
    expect(data.map((each) => each.name)).toEqual([...FAILURE_NAMES]);
    return data.find((each) => each.name === name)?.count;
  };
  const [delivery, job] = [newDelivery(), `no table ${randomUUID()}`];
  await empty(task, 'deliveries', 'dns', 'schedules');
  await fail('DELIVERY_FAILURES_URL', delivery);
  await fail('DNS_FAILURES_URL', { accountId: 'acc_failed', domainId: 'dom_failed' });
  await fail('SCHEDULE_FAILURES_URL', {
    requestContext: { functionArn: 'arn:aws:lambda:x:0:function:job', condition: 'RetriesExhausted' },
    responsePayload: { errorMessage: job },
  });
  await waitFor(async () => (await countOf('deliveries')) === 1);
  const shown = async (name: 'deliveries' | 'schedules') =>
    (await operator.call(readFailures, { params: { name } })).body.data;
  expect(await shown('deliveries')).toEqual([
    expect.objectContaining({
      description: `Attempt 4 at delivery ${delivery.deliveryId} of event ${delivery.eventId} to endpoint whk_failed`,
      accountId: 'acc_failed',
    }),
  ]);
  expect(await shown('schedules')).toEqual([expect.objectContaining({ description: 'Run of job', error: job })]);

  // What was shown is hidden for a second, which a replay and a discard wait for.
  const replayed = await operator.call(replayFailures, { params: { name: 'deliveries' }, body });
  expect(replayed.body).toEqual({ data: { count: 1, kept: 0 } });
  await waitFor(async () => (await countOf('deliveries')) === 0);
  expect((await operator.call(replayFailures, { params: { name: 'dns' }, body })).body.data.count).toBe(1);
  expect(await shown('schedules')).toHaveLength(1);
  const discarded = await operator.call(discardFailures, { params: { name: 'schedules' }, body });
  expect(discarded.body).toEqual({ data: { count: 1 } });
  const { data } = (await operator.call(listOperatorAudit)).body;
  const own = data.filter(({ actor, after }) => actor.id === operator.subject && after?.count === 1);
  expect(own.map(({ action, subjectId, reason }) => [action, subjectId, reason])).toEqual([
    ['failures.discarded', 'schedules', body.reason],
    ['failures.replayed', 'dns', body.reason],
    ['failures.replayed', 'deliveries', body.reason],
  ]);
});

/** Returns the record of the stream of the insertion of an account, as a message of the failure queue names it. */
async function changeOf(accountId: string): Promise<object> {
  Object.assign(process.env, local.environment);
  const { callAws } = await import('../../../runtime/aws/client.ts');
  const { Table } = await callAws<{ Table: { LatestStreamArn: string } }>('dynamodb', 'DescribeTable', {
    TableName: local.environment.TABLE_NAME,
  });
  const streamArn = Table.LatestStreamArn;
  const streams = <T>(operation: string, input: object) => callAws<T>('streams.dynamodb', operation, input);
  const { StreamDescription } = await streams<{ StreamDescription: { Shards: { ShardId: string }[] } }>(
    'DescribeStream',
    { StreamArn: streamArn },
  );
  for (const { ShardId } of StreamDescription.Shards) {
    const from = { StreamArn: streamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' };
    let next: string | undefined = (await streams<{ ShardIterator: string }>('GetShardIterator', from)).ShardIterator;
    while (next !== undefined) {
      const read: {
        Records: { eventName: string; dynamodb: { SequenceNumber: string; Keys: Record<string, { S: string }> } }[];
        NextShardIterator?: string;
      } = await streams('GetRecords', { ShardIterator: next });
      const found = read.Records.find(
        ({ eventName, dynamodb: { Keys } }) =>
          eventName === 'INSERT' && Keys.pk?.S === `ACCOUNT#${accountId}` && Keys.sk?.S === 'ACCOUNT',
      );
      const number = found?.dynamodb.SequenceNumber;
      if (number !== undefined)
        return {
          requestContext: {
            functionArn: 'arn:aws:lambda:af-south-1:000000000000:function:hosting-local-stream-onTableChange',
            condition: 'RetryAttemptsExhausted',
          },
          DDBStreamBatchInfo: {
            streamArn,
            shardId: ShardId,
            startSequenceNumber: number,
            endSequenceNumber: number,
            batchSize: 1,
          },
        };
      next = read.Records.length > 0 ? read.NextShardIterator : undefined;
    }
  }
  throw new Error('the stream has no such change');
}

test('a change that failed is read from the stream again, and its rules run; a failed job runs again', async ({
  task,
}) => {
  const email = `${randomUUID()}@example.com`;
  const [operator, account] = await Promise.all([newOperator(), newAccount({ email })]);
  const find = async () => (await operator.call(searchAccounts, { body: { query: email } })).body.data;
  await waitFor(async () => (await find()).length === 1);
  // What the rule of the account's creation wrote is lost.
  const deps = await platformDeps();
  await deps.table.transact([remove(Lookup, { text: email, accountId: account.id, id: account.id })]);
  expect(await find()).toEqual([]);
  await empty(task, 'stream', 'schedules');
  await fail('STREAM_FAILURES_URL', await changeOf(account.id));
  const replay = (name: 'stream' | 'schedules') =>
    waitFor(async () => {
      const { data } = (await operator.call(replayFailures, { params: { name }, body })).body;
      return data.count > 0 && data;
    });
  expect(await replay('stream')).toEqual({ count: 1, kept: 0 });
  expect(await find()).toHaveLength(1);

  const runs = () => readLogs(local).filter(({ function: name, text }) => name === 'schedule-migrate' && text).length;
  const before = runs();
  await fail('SCHEDULE_FAILURES_URL', {
    requestContext: {
      functionArn: 'arn:aws:lambda:af-south-1:000000000000:function:hosting-local-schedule-migrate:$LATEST',
      condition: 'RetriesExhausted',
    },
    requestPayload: {},
  });
  expect(await replay('schedules')).toMatchObject({ kept: 0 });
  await waitFor(async () => runs() > before);
});

test('the command replays without the API, and tells how it is used', async ({ task }) => {
  const folder = mkdtempSync(join(tmpdir(), 'operate-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'local.json');
  writeFileSync(file, JSON.stringify({ environment: local.environment }));
  const operate = (...args: string[]): string =>
    execFileSync(process.execPath, ['scripts/operate.ts', ...args], {
      encoding: 'utf8',
      env: { ...process.env, LOCAL_JSON: file },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  await empty(task, 'stream');
  await fail('STREAM_FAILURES_URL', { unknown: 'kind' });
  const listed = JSON.parse(operate('list', 'stream', '--local'));
  expect(listed.data).toEqual([expect.objectContaining({ description: '{"unknown":"kind"}' })]);
  await waitFor(async () => {
    const { data } = JSON.parse(operate('discard', 'stream', '--reason', 'Mended.', '--local'));
    return data.count === 1;
  });
  const operator = await newOperator();
  const { data } = (await operator.call(listOperatorAudit)).body;
  expect(data.find(({ reason }) => reason === 'Mended.')).toMatchObject({ action: 'failures.discarded' });
  expect(() => operate('replay', 'deliveries', '--local')).toThrow();
});
