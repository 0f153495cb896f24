import { expect } from 'vitest';
import { deploymentQueue } from '../../domain/deployments/executions.ts';
import { replayFailures } from '../../domain/operator/failures.ts';
import { migrate } from '../../domain/processes/migrate.ts';
import { countQuarantined } from '../../domain/processes/quarantine.ts';
import { sweep } from '../../domain/sweep/sweep.ts';
import { startSchedules } from '../../local/event-sources/schedules.ts';
import { deliverBatch, type StreamRecord } from '../../local/event-sources/stream-batch.ts';
import type { FailedMessage, FailureQueue } from '../../providers/queues/failure-queue.ts';
import type { Executions } from '../../providers/workflows/executions.ts';
import { reportMigrations } from '../../runtime/observability/migration-metrics.ts';
import { reportQuarantine, reportSweep } from '../../runtime/observability/sweep-metrics.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import type { Migration } from '../../table/migrations/migration.ts';
import { create } from '../../table/writes.ts';
import { newSimulatedAccount } from '../simulation/account.ts';
import { simulation } from '../simulation/simulation.ts';
import { measured, type Scene, type Walk } from '../support/walks.ts';
import { synthesize } from '../template/synthesized.ts';

const MINUTE = 60_000;
const underWay: Executions = { start: async () => {}, status: async () => 'RUNNING', stop: async () => {} };
const DEPLOYMENT = { pk: 'ACCOUNT#acc_1', sk: 'DEPLOYMENT#dep_1' };

/** A deployment under way, and the reconciler that looks at it. */
async function dueDeployment() {
  const { memory, clock, steady } = simulation();
  const { deps } = steady;
  const deployment: Deployment = {
    id: 'dep_1',
    accountId: 'acc_1',
    applicationId: 'app_1',
    status: 'RUNNING',
    trigger: 'API',
    commitSha: '',
    startedAt: deps.now().toISOString(),
    finishedAt: null,
    notes: [],
    dueAt: deps.now().toISOString(),
  };
  await deps.table.transact([newSimulatedAccount('acc_1'), create(Deployment, deployment)]);
  const minute = async () => {
    reportSweep(await sweep({ ...deps, deployments: underWay }, deploymentQueue));
    reportQuarantine(await countQuarantined(deps));
  };
  return { memory, clock, deps, minute };
}

/** An item that no entity can read fails ten times, and leaves its queue. */
async function quarantine(): Promise<Scene> {
  const { memory, clock, deps, minute } = await dueDeployment();
  const key = { pk: { S: DEPLOYMENT.pk }, sk: { S: DEPLOYMENT.sk } };
  const set = (status: string) =>
    memory.send('UpdateItem', {
      Key: key,
      UpdateExpression: 'SET #status = :status',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':status': status === '' ? { N: '0' } : { S: status } },
    });
  const isQuarantined = async () => (await countQuarantined(deps)) > 0;
  return {
    clock,
    deps,
    minute,
    breakIt: async () => {
      await set('');
      while (!(await isQuarantined())) {
        clock.now += 30 * MINUTE;
        await minute();
      }
    },
    steps: [
      {
        command: 'aws lambda invoke --region <region> --function-name hosting-<stage>-operator-listQuarantined',
        fill: { 'acc_…': 'acc_1', 'dep_…': 'dep_1' },
      },
      { words: 'change the item by its key in the DynamoDB console', act: () => set('RUNNING') },
      {
        command: 'aws lambda invoke --region <region> --function-name hosting-<stage>-operator-releaseQuarantined',
        fill: { 'acc_…': 'acc_1', 'dep_…': 'dep_1' },
      },
    ],
    whenOver: async () => {
      expect(await isQuarantined()).toBe(false);
      expect(memory.items('DEPLOYMENT')[0]).not.toHaveProperty('sweepFailure');
    },
  };
}

/** Nothing is swept for a while, as when each run ends before it comes to this queue. */
async function lateQueues(): Promise<Scene> {
  const { clock, deps, minute } = await dueDeployment();
  return {
    clock,
    deps,
    minute,
    breakIt() {
      clock.now += 20 * MINUTE;
    },
    steps: [{ words: 'something that it calls has become slow', act: () => undefined }],
  };
}

/** A migration that cannot change one item. */
async function stuckMigration(): Promise<Scene> {
  const { memory, clock, steady } = simulation();
  const { deps, ...process } = steady;
  await deps.table.transact(['acc_1', 'acc_2'].map((id) => newSimulatedAccount(id)));
  let isBroken = false;
  let exists = false;
  const migration: Migration = {
    name: '0009-names',
    entity: 'ACCOUNT',
    to: 9,
    reads: ['name'],
    forward(item) {
      if (isBroken && item.id === 'acc_2') throw new Error('the name is no text');
      return { set: { name: `${String(item.name)}!` } };
    },
  };
  const readRuns = () => memory.items('MIGRATION_RUN');
  return {
    clock,
    deps,
    ...process,
    send: memory.send,
    minute: async () => reportMigrations(await migrate(deps, { migrations: exists ? [migration] : [] })),
    breakIt() {
      isBroken = true;
      exists = true;
    },
    whileBroken: () => expect(readRuns()).toMatchObject([{ status: 'FAILED', changed: 1, failed: 1 }]),
    steps: [
      { command: 'aws lambda invoke --region <region> --function-name hosting-<stage>-operator-listMigrations' },
      {
        words: 'deploy a corrected migration',
        act: () => {
          isBroken = false;
        },
      },
      {
        command: 'aws dynamodb delete-item --region <region> --table-name hosting-<stage>',
        fill: { '<name>': '0009-names' },
      },
    ],
    whenOver() {
      expect(readRuns()).toMatchObject([{ status: 'DONE', failed: 0 }]);
      expect(memory.items('ACCOUNT')).toMatchObject([{ name: 'Test!' }, { name: 'Test!' }]);
    },
  };
}

/** A queue of failed messages, and its number of messages as SQS measures it. */
function failureQueue(clock: { now: number }) {
  const messages: FailedMessage[] = [];
  const hidden = new Set<string>();
  const queue: FailureQueue = {
    count: async () => messages.length,
    async take() {
      const taken = messages.filter(({ id }) => !hidden.has(id)).slice(0, 10);
      for (const { id } of taken) hidden.add(id);
      return taken;
    },
    async remove({ id }) {
      hidden.delete(id);
      messages.splice(0, messages.length, ...messages.filter((each) => each.id !== id));
    },
    release: async ({ id }) => void hidden.delete(id),
  };
  const put = (body: object) =>
    messages.push({ id: `${messages.length}`, body: JSON.stringify(body), receipt: '', sentAt: new Date(clock.now) });
  const gauge = (QueueName: string) =>
    measured(clock, ['AWS/SQS', 'ApproximateNumberOfMessagesVisible'], messages.length, { QueueName });
  return { messages, queue, put, gauge };
}

const POLICY = { retries: 3, bisect: true, maxAgeMs: -1, reportsFailures: false };
const CONSUMER = 'arn:aws:lambda:af-south-1:1:function:hosting-prod-stream-onTableChange';

/** A stream whose consumer may fail, read as Lambda reads it; what it gives up is in the failure queue. */
function stream(clock: { now: number }, consume: (records: readonly StreamRecord[]) => void) {
  const failures = failureQueue(clock);
  const waiting: StreamRecord[] = [];
  const all: StreamRecord[] = [];
  return {
    failures,
    all,
    change() {
      const sequenceNumber = String(100 + all.length);
      const record = { sequenceNumber, changedAt: clock.now, event: { dynamodb: { SequenceNumber: sequenceNumber } } };
      all.push(record);
      waiting.push(record);
    },
    /** Reads what waits. @returns the age of the oldest record in milliseconds, as Lambda measures it */
    async read(): Promise<number> {
      const age = clock.now - (waiting[0]?.changedAt ?? clock.now);
      await deliverBatch(waiting.splice(0), POLICY, {
        invoke: async (records) => {
          consume(records);
          return null;
        },
        drop: async ([record], condition) =>
          void failures.put({
            requestContext: { functionArn: CONSUMER, condition },
            DDBStreamBatchInfo: {
              streamArn: 'arn:stream',
              shardId: 'shard',
              batchSize: 1,
              startSequenceNumber: record?.sequenceNumber,
              endSequenceNumber: record?.sequenceNumber,
            },
          }),
        pause: async () => {},
        now: () => clock.now,
      });
      return age;
    },
    hold: () => waiting.length,
  };
}

/** A rule that fails for a change until the stream moves on without it. */
async function failedChange(): Promise<Scene> {
  const { clock, steady } = simulation();
  const { deps } = steady;
  const consumed = new Set<string>();
  let isBroken = false;
  const consume = (records: readonly StreamRecord[]) => {
    if (isBroken && records.some(({ sequenceNumber }) => Number(sequenceNumber) % 5 === 0)) throw new Error('a rule');
    for (const { sequenceNumber } of records) consumed.add(sequenceNumber);
  };
  const source = stream(clock, consume);
  const { failures } = source;
  const replays = {
    readChanges: async ({ startSequenceNumber }: { startSequenceNumber: string }) =>
      source.all.filter(({ sequenceNumber }) => sequenceNumber === startSequenceNumber).map(({ event }) => event),
    run: async (functionArn: string, event: object) => {
      expect(functionArn).toBe(CONSUMER);
      const { Records } = event as { Records: { dynamodb: { SequenceNumber: string } }[] };
      consume(
        source.all.filter((each) => Records.some(({ dynamodb }) => dynamodb.SequenceNumber === each.sequenceNumber)),
      );
      return undefined;
    },
    start: async () => {},
  };
  const failureQueues = {
    deliveries: failures.queue,
    dns: failures.queue,
    routes: failures.queue,
    payments: failures.queue,
    workflows: failures.queue,
    mails: failures.queue,
    stream: failures.queue,
    schedules: failures.queue,
  };
  return {
    clock,
    deps,
    async minute() {
      source.change();
      await source.read();
      return [failures.gauge('hosting-prod-stream-failures')];
    },
    breakIt: () => {
      isBroken = true;
    },
    whileBroken: () => expect(consumed.size).toBeLessThan(source.all.length),
    steps: [
      {
        words: 'Fix the cause first',
        act: () => {
          isBroken = false;
        },
      },
      {
        command: 'npm run operate -- replay stream',
        run: async ({ words, options: { reason = '' } }) => {
          expect(words.slice(0, 5)).toEqual(['npm', 'run', 'operate', 'replay', 'stream']);
          const nothing = { send: async () => {} };
          const jobs = { routes: nothing, payments: nothing, workflows: nothing, mails: nothing };
          const onReplayError = (_: string, error: unknown) => expect.unreachable(String(error));
          const queues = { failureQueues, queue: nothing, zoneSyncQueue: nothing, jobs };
          const needs = { ...deps, ...queues, replays, onReplayError };
          const { data } = await replayFailures(needs, { accountId: '', keyId: '' }, { name: 'stream', reason });
          expect(data.kept).toBe(0);
        },
      },
    ],
    whenOver: () => expect(consumed.size).toBe(source.all.length),
  };
}

/** A consumer that is slower than the changes. */
async function slowStream(): Promise<Scene> {
  const { clock } = simulation();
  let isSlow = false;
  const source = stream(clock, () => undefined);
  return {
    clock,
    async minute() {
      source.change();
      const age = isSlow && source.hold() < 5 ? undefined : await source.read();
      const at = { FunctionName: 'hosting-prod-stream-onTableChange' };
      return age === undefined ? undefined : [measured(clock, ['AWS/Lambda', 'IteratorAge'], age, at)];
    },
    breakIt: () => {
      isSlow = true;
    },
    steps: [
      {
        words: 'whether the table or SQS has become slow',
        act: () => {
          isSlow = false;
        },
      },
    ],
  };
}

/** The schedules of the template, run by the local scheduler; one of them is gone. */
async function silentSchedule(): Promise<Scene> {
  const { clock } = simulation();
  const { template } = synthesize({ stage: 'prod' });
  let isGone = false;
  const present = {
    ...template,
    resources: (type: string) =>
      template
        .resources(type)
        .filter(({ name }) => !(isGone && type === 'AWS::Scheduler::Schedule' && name === 'hosting-prod-reconcile')),
  };
  let invoked: string[] = [];
  const lambda = {
    has: () => true,
    invoke: async (functionArn: string) => {
      invoked.push(functionArn.split(':')[6] ?? '');
      return null;
    },
  };
  const credentials = { accessKeyId: '', secretAccessKey: '', sessionToken: '' };
  return {
    clock,
    async minute() {
      invoked = [];
      // It invokes every function at once, and then by its rate.
      await startSchedules(present, lambda, () => ({ credentials, refuse: () => undefined }) as never).stop();
      return invoked.map((FunctionName) => measured(clock, ['AWS/Lambda', 'Invocations'], 1, { FunctionName }));
    },
    breakIt: () => {
      isGone = true;
    },
    whileBroken: () => expect(invoked).not.toContain('hosting-prod-schedule-reconcile'),
    steps: [
      {
        words: 'Deploying the stack hosting-<stage>-schedules creates it again',
        act: () => {
          isGone = false;
        },
      },
    ],
    whenOver: () => expect(invoked).toContain('hosting-prod-schedule-reconcile'),
  };
}

export const queueWalks: Walk[] = [
  { page: 'Due queues', fault: 'an item that cannot be read is quarantined', alarms: ['due-items'], open: quarantine },
  { page: 'Due queues', fault: 'nothing is swept for a while', alarms: ['due-queues-behind'], open: lateQueues },
  {
    page: 'A stuck migration',
    fault: 'an item cannot be changed',
    alarms: ['migration-failures'],
    open: stuckMigration,
  },
  {
    page: 'Failure queue',
    fault: 'a rule fails for some changes until the stream moves on',
    alarms: ['failure-queues'],
    open: failedChange,
  },
  { page: 'Stream behind', fault: 'the consumer is too slow', alarms: ['stream-behind'], open: slowStream },
  { page: 'Schedules silent', fault: 'a schedule is gone', alarms: ['schedules-silent'], open: silentSchedule },
];
