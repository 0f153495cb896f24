import { setTimeout as sleep } from 'node:timers/promises';
import { type CallOptions, call } from '../engines/wire.ts';
import type { Lambda } from '../lambda/lambda.ts';
import { isObject, type JsonObject, objects } from '../template/intrinsics.ts';
import type { Resource } from '../template/template.ts';
import { createFilter } from './event-filter.ts';
import { createFairQueue } from './fair-queue.ts';
import { createMessageBatches, type MessageEntry } from './message-batches.ts';
import type { EventSource } from './streams.ts';
import { createExtensions, VISIBILITY_CHECK_MS } from './visibility.ts';

export interface SqsSourceOptions {
  /** An event source mapping of the template whose source is a queue. */
  mapping: Resource;
  queue: Resource;
  region: string;
  queuesUrl: string;
  lambda: Pick<Lambda, 'invoke'>;
  /** Credentials of the function's role. Default: the administrator's. */
  credentials?: CallOptions['credentials'];
}

/** Default maximum number of concurrent invocations. More would overload one machine. */
const CONCURRENCY = 20;
/** Maximum number of messages per receive call. */
const MAX_RECEIVED = 10;
const LONG_POLL_SECONDS = 20;
const ERROR_PAUSE_MS = 500;
/** Default visibility timeout of a queue in seconds (API reference, CreateQueue). */
const VISIBILITY_TIMEOUT_SECONDS = 30;

const lowerFirst = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

/** Converts a received message to Lambda's record format. */
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

const entriesOf = (records: readonly JsonObject[]): MessageEntry[] =>
  records.map(({ receiptHandle }) => ({ ReceiptHandle: String(receiptHandle) }));

/** Returns a record for the filters: its body is parsed if it is JSON. */
function filterable(record: JsonObject): JsonObject {
  try {
    return { ...record, body: JSON.parse(String(record.body)) };
  } catch {
    return record;
  }
}

/**
 * Feeds a function from a queue according to its event source mapping. Unprocessed messages stay in the queue and are
 * delivered again after their visibility timeout; the queue finally moves them to its dead-letter queue.
 */
export function startSqsSource({
  mapping,
  queue,
  region,
  queuesUrl,
  lambda,
  credentials,
}: SqsSourceOptions): EventSource {
  const { properties } = mapping;
  const functionArn = String(properties.FunctionName);
  const batchSize = Math.min(Number(properties.BatchSize ?? 10), MAX_RECEIVED);
  const scaling = isObject(properties.ScalingConfig) ? properties.ScalingConfig.MaximumConcurrency : undefined;
  const concurrency = Number(scaling ?? CONCURRENCY);
  const types = properties.FunctionResponseTypes;
  const reportsFailures = Array.isArray(types) && types.includes('ReportBatchItemFailures');
  const isWanted = createFilter(properties.FilterCriteria);
  const stopping = new AbortController();
  const { signal } = stopping;
  const QueueUrl = queue.ref;
  const signed: CallOptions = { region, credentials };

  const logError = (error: unknown): void =>
    console.error(`queue ${queue.name}: ${error instanceof Error ? error.message : String(error)}`);
  const batches = (operation: string) =>
    createMessageBatches((entries) => {
      const Entries = entries.map((entry, index) => ({ Id: `${index}`, ...entry }));
      return call(queuesUrl, 'sqs', operation, { QueueUrl, Entries }, signed);
    }, logError);
  const deletions = batches('DeleteMessageBatch');
  const extensions = batches('ChangeMessageVisibilityBatch');

  /** Invokes the function with a batch. Returns the records that it processed. */
  const invokeBatch = async (records: readonly JsonObject[]): Promise<readonly JsonObject[]> => {
    try {
      const result = await lambda.invoke(functionArn, { Records: [...records] });
      if (!reportsFailures || !isObject(result)) return records;
      const failed = new Set(objects(result.batchItemFailures).map(({ itemIdentifier }) => itemIdentifier));
      return records.filter(({ messageId }) => !failed.has(messageId));
    } catch {
      // The pool has logged the error.
      return [];
    }
  };

  /** Invokes the function with one batch and deletes the processed messages. */
  const work = async (records: readonly JsonObject[]): Promise<void> => {
    const filtered = records.filter((record) => !isWanted(filterable(record)));
    const batch = records.filter((record) => !filtered.includes(record));
    deletions.add(entriesOf(filtered));
    if (batch.length > 0) deletions.add(entriesOf(await invokeBatch(batch)));
  };

  const fair = createFairQueue({ concurrency, batchSize, work });
  const extensionsOf = createExtensions(Number(queue.properties.VisibilityTimeout ?? VISIBILITY_TIMEOUT_SECONDS));
  const extending = setInterval(
    () => extensions.add(extensionsOf(fair.pending(), performance.now())),
    VISIBILITY_CHECK_MS,
  );
  const receive = async (): Promise<void> => {
    await fair.waitForCapacity();
    const { Messages } = await call(
      queuesUrl,
      'sqs',
      'ReceiveMessage',
      {
        QueueUrl,
        MaxNumberOfMessages: MAX_RECEIVED,
        WaitTimeSeconds: LONG_POLL_SECONDS,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      },
      { ...signed, signal },
    );
    fair.push(objects(Messages).map((message) => recordOf(message, queue, region)));
  };
  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await receive();
      } catch (error) {
        if (signal.aborted) break;
        logError(error);
        await sleep(ERROR_PAUSE_MS, undefined, { signal }).catch(() => {});
      }
    }
  };
  const receiving = loop();
  return {
    async stop() {
      clearInterval(extending);
      stopping.abort();
      await receiving;
      await Promise.all([deletions.flush(), extensions.flush()]);
    },
  };
}
