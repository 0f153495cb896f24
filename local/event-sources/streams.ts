import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CallOptions, call } from '../engines/wire.ts';
import type { Lambda } from '../lambda/lambda.ts';
import { readReplaced, replaceFile } from '../replaced-file.ts';
import { isObject, type JsonObject } from '../template/intrinsics.ts';
import type { Resource } from '../template/template.ts';
import { createFilter } from './event-filter.ts';
import { type PollPause, pauseEvenly } from './poll-pace.ts';
import { type BatchPolicy, type BatchPort, deliverBatch, type StreamRecord } from './stream-batch.ts';
import { createLanes, type Place } from './stream-lanes.ts';
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
  /** Waits until the stream is polled again. Default: equally long each time. */
  pause?: PollPause;
}

export interface EventSource {
  /** Stops receiving; running invocations are not interrupted. */
  stop(): Promise<void>;
}

/** Maximum number of lanes, each of which processes one batch at a time. More would overload one machine. */
const MAX_LANES = 4;
/**
 * Number of records in progress at which reading pauses. Those of other accounts may stand behind more than an account writes
 * in minutes.
 */
const MAX_BUFFERED_RECORDS = 10_000;
/** Milliseconds between writes of the checkpoint, which block this process: after a crash, a second's records are delivered again. */
const SAVE_INTERVAL_MS = 1000;

const number = (value: JsonObject[string] | undefined, otherwise: number): number =>
  value === undefined ? otherwise : Number(value);

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

/** A place in the stream, and whether its record is processed. */
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

/** Returns the account that an image of an item names. */
function accountOf(image: JsonObject[string] | undefined): string | undefined {
  const id = isObject(image) ? image.accountId : undefined;
  return isObject(id) && typeof id.S === 'string' ? id.S : undefined;
}

/** Returns the partition of a change, and whose it is: an item of no account has its own turn. */
function placeOf({ Keys, NewImage, OldImage }: JsonObject): Place {
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
          approximateArrivalOfFirstRecord: new Date(first.madeAt).toISOString(),
          approximateArrivalOfLastRecord: new Date(last.madeAt).toISOString(),
          batchSize: records.length,
          streamArn,
        },
      });
      await call(
        queuesUrl,
        'sqs',
        'SendMessage',
        { QueueUrl: `${queuesUrl}/000000000000/${queue}`, MessageBody },
        { region, credentials },
      );
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

  // In stream order. Processed records at the head are never delivered again.
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
  const fewerThan = async (limit: number): Promise<void> => {
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
        // A failure of this machine or the shutdown, not of the function, which is retried: the checkpoint stays before
        // the batch.
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
      drained: () => fewerThan(1),
      pause: options.pause ?? pauseEvenly,
      async onRecords(streamArn, shardId, records) {
        for (const event of records) {
          const change = isObject(event.dynamodb) ? event.dynamodb : {};
          const record: StreamRecord = {
            sequenceNumber: String(change.SequenceNumber),
            madeAt: Number(change.ApproximateCreationDateTime) * 1000,
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
          accept({ record, streamArn, position }, placeOf(change));
        }
        advance();
        await fewerThan(MAX_BUFFERED_RECORDS);
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
