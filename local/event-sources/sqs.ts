import { setTimeout as sleep } from 'node:timers/promises';
import { call } from '../engines/wire.ts';
import type { Lambda } from '../lambda/lambda.ts';
import { isObject, type Json, type JsonObject } from '../template/intrinsics.ts';
import type { Resource } from '../template/template.ts';
import { makeFilter } from './event-filter.ts';
import { makeFairness } from './fair-queue.ts';
import type { EventSource } from './streams.ts';

export interface SqsSourceOptions {
  /** An event source mapping of the template whose source is a queue. */
  mapping: Resource;
  queue: Resource;
  region: string;
  queuesUrl: string;
  lambda: Pick<Lambda, 'invoke'>;
}

/** Invocations at once, where the mapping sets no maximum; more than this would only crowd one machine. */
const CONCURRENCY = 20;
/** The most that one receive gives. */
const RECEIVED_AT_ONCE = 10;
const LONG_POLL_SECONDS = 20;
const TROUBLE = 500;
/** How long a message that waits for its turn here stays hidden in the queue, at a time. */
const HELD_SECONDS = 30;

const objects = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
const lowerFirst = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

/** A received message as Lambda hands it over. */
function recordOf(message: JsonObject, queue: Resource, region: string): JsonObject {
  const messageAttributes: JsonObject = {};
  for (const [name, value] of Object.entries(isObject(message.MessageAttributes) ? message.MessageAttributes : {})) {
    const attribute: JsonObject = { stringListValues: [], binaryListValues: [] };
    for (const [key, part] of Object.entries(isObject(value) ? value : {})) attribute[lowerFirst(key)] = part;
    messageAttributes[name] = attribute;
  }
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: message.Attributes ?? {},
    messageAttributes,
    md5OfBody: message.MD5OfBody ?? '',
    eventSource: 'aws:sqs',
    eventSourceARN: queue.arn,
    awsRegion: region,
  };
}

/** What a filter sees: the body parsed, where it is JSON. */
function filterable(record: JsonObject): JsonObject {
  try {
    return { ...record, body: JSON.parse(String(record.body)) };
  } catch {
    return record;
  }
}

/**
 * Feeds a function from a queue, as its event source mapping says. What the function does not finish stays in the queue
 * and comes again after its visibility timeout; the queue itself moves it to its dead-letter queue in the end.
 */
export function startSqsSource({ mapping, queue, region, queuesUrl, lambda }: SqsSourceOptions): EventSource {
  const { properties } = mapping;
  const functionArn = String(properties.FunctionName);
  const batchSize = Math.min(Number(properties.BatchSize ?? 10), RECEIVED_AT_ONCE);
  const scaling = isObject(properties.ScalingConfig) ? properties.ScalingConfig.MaximumConcurrency : undefined;
  const concurrency = Number(scaling ?? CONCURRENCY);
  const types = properties.FunctionResponseTypes;
  const reportsFailures = Array.isArray(types) && types.includes('ReportBatchItemFailures');
  const wanted = makeFilter(properties.FilterCriteria);
  const stopping = new AbortController();
  const { signal } = stopping;
  const QueueUrl = queue.ref;

  const remove = async (records: readonly JsonObject[]): Promise<void> => {
    if (records.length === 0) return;
    const Entries = records.map(({ receiptHandle = '' }, index) => ({ Id: `${index}`, ReceiptHandle: receiptHandle }));
    await call(queuesUrl, 'sqs', 'DeleteMessageBatch', { QueueUrl, Entries });
  };

  /** The records of a batch that the function is done with. */
  const handOver = async (records: readonly JsonObject[]): Promise<readonly JsonObject[]> => {
    try {
      const answer = await lambda.invoke(functionArn, { Records: [...records] });
      if (!reportsFailures || !isObject(answer)) return records;
      const failed = new Set(objects(answer.batchItemFailures).map(({ itemIdentifier }) => itemIdentifier));
      return records.filter(({ messageId }) => !failed.has(messageId));
    } catch {
      // The pool has logged it.
      return [];
    }
  };

  /** Invokes with one batch and deletes what the function is done with. */
  const work = async (records: readonly JsonObject[]): Promise<void> => {
    const unwanted = records.filter((record) => !wanted(filterable(record)));
    const batch = records.filter((record) => !unwanted.includes(record));
    await remove([...unwanted, ...(batch.length > 0 ? await handOver(batch) : [])]);
  };

  const fair = makeFairness({ concurrency, batchSize, work });
  const extending = setInterval(
    () => {
      for (const { receiptHandle = '' } of fair.held()) {
        const input = { QueueUrl, ReceiptHandle: receiptHandle, VisibilityTimeout: HELD_SECONDS };
        call(queuesUrl, 'sqs', 'ChangeMessageVisibility', input).catch(() => {});
      }
    },
    (HELD_SECONDS * 1000) / 3,
  );
  const receive = async (): Promise<void> => {
    await fair.room();
    const { Messages } = await call(
      queuesUrl,
      'sqs',
      'ReceiveMessage',
      {
        QueueUrl,
        MaxNumberOfMessages: batchSize,
        WaitTimeSeconds: LONG_POLL_SECONDS,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      },
      { region, signal },
    );
    fair.take(objects(Messages).map((message) => recordOf(message, queue, region)));
  };
  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await receive();
      } catch (error) {
        if (signal.aborted) break;
        console.error(`queue ${queue.name}: ${error instanceof Error ? error.message : String(error)}`);
        await sleep(TROUBLE, undefined, { signal }).catch(() => {});
      }
    }
  };
  const receiving = loop();
  return {
    async stop() {
      clearInterval(extending);
      stopping.abort();
      await receiving;
    },
  };
}
