import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { ACCOUNT } from '../addresses.ts';
import { type CallOptions, call } from '../engines/wire.ts';
import type { Lambda } from '../lambda/lambda.ts';
import { readReplaced, replaceFile } from '../replaced-file.ts';
import { isObject, type JsonObject } from '../template/intrinsics.ts';
import type { Resource } from '../template/template.ts';
import { createFilter } from './event-filter.ts';
import { type PollPause, pauseEvenly } from './poll-pace.ts';
import { type BatchPolicy, type BatchPort, deliverBatch, type StreamRecord } from './stream-batch.ts';
import { createLanes, type RecordKey } from './stream-lanes.ts';
import { type Checkpoints, readStream } from './stream-reader.ts';

export interface StreamSourceOptions {
  /** An event source mapping of the template whose source is a table's stream. */
  mapping: Resource;
  /** Name of the table. */
  table: string;
  region: string;
  dynamoDbUrl: string;
  queuesUrl: string;
  /** File that stores the position in the stream between runs. */
  checkpointFile: string;
  lambda: Pick<Lambda, 'invoke'>;
  /** Credentials of the function's role. Default: the administrator's. */
  credentials?: CallOptions['credentials'];
  /** Waits until the stream is polled again. Default: a constant time. */
  pause?: PollPause;
}

export interface EventSource {
  /** Stops receiving. Does not interrupt running invocations. */
  stop(): Promise<void>;
}

/** Maximum number of lanes, each of which processes one batch at a time. More would overload one machine. */
const MAX_LANES = 4;
/**
 * Number of records in progress at which reading pauses. It exceeds the number that one account writes in minutes, because records of
 * other accounts may follow them.
 */
const MAX_BUFFERED_RECORDS = 10_000;
/** Pause before a message that the on-failure destination did not take is sent again. */
const SEND_PAUSE_MS = 1000;
/** Interval of the checkpoint's writes, which block this process. After a crash, the records of a second are delivered again. */
const SAVE_INTERVAL_MS = 1000;

const number = (value: JsonObject[string] | undefined, defaultValue: number): number =>
  value === undefined ? defaultValue : Number(value);

function policyOf({ properties }: Resource): BatchPolicy {
  const age = number(properties.MaximumRecordAgeInSeconds, -1);
  const types = properties.FunctionResponseTypes;
  return {
    retries: number(properties.MaximumRetryAttempts, -1),
    bisect: properties.BisectBatchOnFunctionError === true,
    maxAgeMs: age < 0 ? -1 : age * 1000,
    reportsFailures: Array.isArray(types) && types.includes('ReportBatchItemFailures'),
  };
}

function readCheckpoints(file: string): Checkpoints {
  try {
    return JSON.parse(readReplaced(file) ?? '{}');
  } catch {
    return {};
  }
}

/** A position in the stream. `done` is true once its record is processed. */
interface Position {
  shardId: string;
  sequenceNumber: string;
  done: boolean;
}

/** A record in progress. */
interface Pending {
  record: StreamRecord;
  streamArn: string;
  position: Position;
}

/** Returns the account of an item from its image. */
function accountOf(image: JsonObject[string] | undefined): string | undefined {
  const id = isObject(image) ? image.accountId : undefined;
  return isObject(id) && typeof id.S === 'string' ? id.S : undefined;
}

/** Returns the partition and the account of a change. An item without an account counts as its own account. */
function recordKeyOf({ Keys, NewImage, OldImage }: JsonObject): RecordKey {
  const partition = JSON.stringify(isObject(Keys) ? Object.values(Keys)[0] : undefined);
  return { partition, account: accountOf(NewImage) ?? accountOf(OldImage) ?? partition };
}

/** Feeds a function from a table's stream according to its event source mapping. */
export function startStreamSource(options: StreamSourceOptions): EventSource {
  const { mapping, table, region, credentials, queuesUrl, lambda } = options;
  const { properties, logicalId } = mapping;
  const functionArn = String(properties.FunctionName);
  const policy = policyOf(mapping);
  const isWanted = createFilter(properties.FilterCriteria);
  const batchSize = number(properties.BatchSize, 100);
  const checkpoints = readCheckpoints(options.checkpointFile);
  const stopping = new AbortController();
  const { signal } = stopping;

  const destination = isObject(properties.DestinationConfig) ? properties.DestinationConfig.OnFailure : undefined;
  const drop =
    ({ streamArn, position: { shardId } }: Pending): BatchPort['drop'] =>
    async (records, condition, attempts) => {
      const first = records[0];
      const last = records.at(-1);
      console.error(`${logicalId}: gave up ${records.length} record(s) after ${attempts} attempts: ${condition}`);
      if (!isObject(destination) || !first || !last) return;
      const queue = String(destination.Destination).split(':').at(-1);
      const MessageBody = JSON.stringify({
        requestContext: { functionArn, condition, approximateInvokeCount: attempts },
        responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
        version: '1.0',
        timestamp: new Date().toISOString(),
        DDBStreamBatchInfo: {
          shardId,
          startSequenceNumber: first.sequenceNumber,
          endSequenceNumber: last.sequenceNumber,
          approximateArrivalOfFirstRecord: new Date(first.changedAt).toISOString(),
          approximateArrivalOfLastRecord: new Date(last.changedAt).toISOString(),
          batchSize: records.length,
          streamArn,
        },
      });
      const input = { QueueUrl: `${queuesUrl}/${ACCOUNT}/${queue}`, MessageBody };
      // Operators learn of dropped records only from the message: the lane waits until the queue has it.
      for (;;) {
        try {
          await call(queuesUrl, 'sqs', 'SendMessage', input, { region, credentials });
          return;
        } catch (error) {
          if (signal.aborted) throw error;
          console.error(error);
          await sleep(SEND_PAUSE_MS, undefined, { signal });
        }
      }
    };

  let unsaved: NodeJS.Timeout | undefined;
  const write = (): void => {
    clearTimeout(unsaved);
    unsaved = undefined;
    replaceFile(options.checkpointFile, JSON.stringify(checkpoints));
  };
  const save = (): void => {
    // Records that finish after the stop are delivered again by the next run.
    if (!signal.aborted) unsaved ??= setTimeout(write, SAVE_INTERVAL_MS);
  };

  // In stream order. The checkpoint advances past the processed records at the head.
  const positions: Position[] = [];
  let inProgress = 0;
  const progress = new EventEmitter();
  const advance = (): void => {
    let count = 0;
    for (let head = positions[count]; head?.done; head = positions[count]) {
      checkpoints[head.shardId] = head.sequenceNumber;
      count += 1;
    }
    if (count > 0) {
      positions.splice(0, count);
      save();
    }
    progress.emit('advanced');
  };
  const waitForFewerThan = async (limit: number): Promise<void> => {
    while (inProgress >= limit && !signal.aborted) await once(progress, 'advanced', { signal }).catch(() => {});
  };

  const deliver = async (batch: readonly Pending[]): Promise<void> => {
    const [first] = batch;
    if (!first || signal.aborted) return;
    await deliverBatch(
      batch.map(({ record }) => record),
      policy,
      {
        invoke: (records) => lambda.invoke(functionArn, { Records: records.map(({ event }) => event) }),
        drop: drop(first),
        pause: (milliseconds) => sleep(milliseconds, undefined, { signal }),
        now: Date.now,
      },
    );
    for (const { position } of batch) position.done = true;
    inProgress -= batch.length;
    advance();
  };

  const accept = createLanes<Pending>({
    lanes: Math.min(MAX_LANES, number(properties.ParallelizationFactor, 1)),
    batchSize,
    work: (batch) =>
      deliver(batch).catch((error: unknown) => {
        // Failures of the function are retried: this is the shutdown or a failure of this machine. The checkpoint remains
        // before the batch.
        if (!signal.aborted) console.error(error);
      }),
  });

  const reading = readStream(
    {
      url: options.dynamoDbUrl,
      region,
      credentials,
      table,
      checkpoints,
      drained: () => waitForFewerThan(1),
      pause: options.pause ?? pauseEvenly,
      async onRecords(streamArn, shardId, records) {
        for (const event of records) {
          const change = isObject(event.dynamodb) ? event.dynamodb : {};
          const record: StreamRecord = {
            sequenceNumber: String(change.SequenceNumber),
            changedAt: Number(change.ApproximateCreationDateTime) * 1000,
            event: { ...event, eventSourceARN: streamArn, awsRegion: region },
          };
          const position: Position = {
            shardId,
            sequenceNumber: record.sequenceNumber,
            done: !isWanted(event),
          };
          positions.push(position);
          if (position.done) continue;
          inProgress += 1;
          accept({ record, streamArn, position }, recordKeyOf(change));
        }
        advance();
        await waitForFewerThan(MAX_BUFFERED_RECORDS);
      },
    },
    signal,
  );
  return {
    async stop() {
      stopping.abort();
      await reading;
      if (unsaved) write();
    },
  };
}
