import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetQueueAttributesCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDataDirectory } from '../data-directory.ts';
import { createQueuesAndBuckets, startQueues } from '../engines/queues.ts';
import { type Children, startChildren } from '../processes/children.ts';
import { isObject, type Json, type JsonObject } from '../template/intrinsics.ts';
import type { Resource, Template } from '../template/template.ts';
import { startSqsSource } from './sqs.ts';

const region = 'af-south-1';
let children: Children;
let url: string;
let sqs: SQSClient;
let directory: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'sqs-'));
  const data = openDataDirectory(directory);
  const { queues } = await data.ports('queues');
  children = startChildren(directory);
  url = await startQueues({ port: queues, region, sessionsDir: directory, children });
  data.release();
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  sqs = new SQSClient({ endpoint: url, region, credentials });
});
afterAll(async () => {
  sqs.destroy();
  await children.stop();
  rmSync(directory, { recursive: true, force: true });
});

const queueNamed = (name: string, properties: JsonObject): Resource => ({
  type: 'AWS::SQS::Queue',
  stack: 'S',
  account: '000000000000',
  logicalId: name,
  name,
  arn: `arn:aws:sqs:${region}:000000000000:${name}`,
  ref: `${url}/000000000000/${name}`,
  properties,
});

/** Creates a queue with a dead-letter queue and a function, and sends these messages. */
async function feed(name: string, mapping: JsonObject, bodies: string[], answer: (bodies: string[]) => Json) {
  const dead = queueNamed(`${name}-dead`, {});
  const queue = queueNamed(name, {
    VisibilityTimeout: 1,
    RedrivePolicy: { deadLetterTargetArn: dead.arn, maxReceiveCount: 2 },
  });
  const template: Template = {
    resources: (type) => (type === 'AWS::SQS::Queue' ? [dead, queue] : []),
    byArn: () => undefined,
    asset: () => undefined,
    output: () => null,
  };
  await createQueuesAndBuckets(url, template);
  const Entries = bodies.map((MessageBody, index) => ({ Id: `${index}`, MessageBody }));
  await sqs.send(new SendMessageBatchCommand({ QueueUrl: queue.ref, Entries }));
  const calls: string[][] = [];
  let running = 0;
  let most = 0;
  const source = startSqsSource({
    mapping: { ...queue, type: '', properties: { FunctionName: 'fn', ...mapping } },
    queue,
    region,
    queuesUrl: url,
    lambda: {
      invoke: async (_, event) => {
        most = Math.max(most, ++running);
        await sleep(20);
        running -= 1;
        const records = isObject(event) && Array.isArray(event.Records) ? event.Records.filter(isObject) : [];
        const given = records.map(({ body }) => String(body));
        calls.push(given);
        const failed = answer(given);
        if (failed === 'throw') throw new Error('failed');
        if (!Array.isArray(failed)) return null;
        const itemFailures = records.filter(({ body }) => failed.includes(body ?? null));
        return { batchItemFailures: itemFailures.map(({ messageId = '' }) => ({ itemIdentifier: messageId })) };
      },
    },
  });
  const count = async (of: Resource): Promise<number> => {
    const { Attributes = {} } = await sqs.send(
      new GetQueueAttributesCommand({
        QueueUrl: of.ref,
        AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
      }),
    );
    return Object.values(Attributes).reduce((sum, value) => sum + Number(value), 0);
  };
  return {
    source,
    calls,
    most: () => most,
    async until(condition: (left: number, dead: number) => boolean) {
      const left = async () => [await count(queue), await count(dead)] as const;
      await expect
        .poll(left, { timeout: 60_000 })
        .toSatisfy((counts: readonly [number, number]) => condition(...counts));
      const counted = await left();
      await source.stop();
      return counted;
    },
  };
}

test('delivers in batches, deletes processed messages and respects the maximum concurrency', async () => {
  const bodies = Array.from({ length: 10 }, (_, index) => `m${index}`);
  const mapping = { BatchSize: 2, ScalingConfig: { MaximumConcurrency: 2 } };
  const { until, calls, most } = await feed('plain', mapping, bodies, () => null);
  expect(await until((left) => left === 0)).toEqual([0, 0]);
  expect(calls.flat().sort()).toEqual(bodies);
  expect(calls.every((each) => each.length <= 2)).toBe(true);
  expect(most()).toBe(2);
});

test('redelivers only failed messages and moves persistent failures to the dead-letter queue', async () => {
  const mapping = { FunctionResponseTypes: ['ReportBatchItemFailures'] };
  const { until, calls } = await feed('partial', mapping, ['good', 'bad'], (bodies) =>
    bodies.filter((body) => body === 'bad'),
  );
  expect(await until((left, dead) => left === 0 && dead === 1)).toEqual([0, 1]);
  expect(calls.flat().filter((body) => body === 'good')).toHaveLength(1);
  expect(calls.flat().filter((body) => body === 'bad')).toHaveLength(2);
});

test('treats all messages as failed if the function throws', async () => {
  let tries = 0;
  const { until, calls } = await feed('throwing', {}, ['a'], () => (++tries === 1 ? 'throw' : null));
  expect(await until((left) => left === 0)).toEqual([0, 0]);
  expect(calls).toEqual([['a'], ['a']]);
});
