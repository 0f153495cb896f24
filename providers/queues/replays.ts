import { isAwsError } from '../aws-errors.ts';

/** Changes of a table that its stream still has: those of one shard, from one sequence number to another. */
export interface FailedChanges {
  streamArn: string;
  shardId: string;
  startSequenceNumber: string;
  endSequenceNumber: string;
}

/** Repeats the work of functions that failed. */
export interface Replays {
  /** Reads changes again, as the stream's consumer receives them. Undefined where the stream does not have them any more. */
  readChanges(changes: FailedChanges): Promise<object[] | undefined>;
  /** Invokes a function and waits for its end. @returns the error of a function that failed again */
  run(functionArn: string, event: object): Promise<string | undefined>;
  /** Invokes a function without waiting: where it fails again, its own failure queue gets it. */
  start(functionArn: string, event: object): Promise<void>;
}

type CallStreams = <Output>(operation: string, input: object) => Promise<Output>;

/** Invokes a function as Lambda's `Invoke` does. @returns the function's error, if it failed */
export type Invoke = (functionArn: string, event: object, waits: boolean) => Promise<string | undefined>;

interface StreamRecord {
  dynamodb: { SequenceNumber: string };
}

/** Pages that are read of one shard: between two numbers there may be changes of other consumers' batches. */
const MAX_PAGES = 20;
/** A stream keeps its records for 24 hours (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html). */
const GONE = ['TrimmedDataAccessException', 'ResourceNotFoundException'];

const isWithin = (number: string, { startSequenceNumber, endSequenceNumber }: FailedChanges): boolean =>
  BigInt(number) >= BigInt(startSequenceNumber) && BigInt(number) <= BigInt(endSequenceNumber);

async function readShard(callStreams: CallStreams, changes: FailedChanges): Promise<object[] | undefined> {
  const { streamArn: StreamArn, shardId: ShardId, startSequenceNumber: SequenceNumber } = changes;
  const at = { StreamArn, ShardId, ShardIteratorType: 'AT_SEQUENCE_NUMBER', SequenceNumber };
  const found: object[] = [];
  let { ShardIterator: next } = await callStreams<{ ShardIterator?: string }>('GetShardIterator', at);
  for (let page = 0; next !== undefined && page < MAX_PAGES; page += 1) {
    const read: { Records: StreamRecord[]; NextShardIterator?: string } = await callStreams('GetRecords', {
      ShardIterator: next,
    });
    const { Records, NextShardIterator } = read;
    found.push(...Records.filter(({ dynamodb }) => isWithin(dynamodb.SequenceNumber, changes)));
    const last = Records.at(-1)?.dynamodb.SequenceNumber;
    if (last !== undefined && BigInt(last) >= BigInt(changes.endSequenceNumber)) return found;
    next = NextShardIterator;
  }
  return found.length > 0 ? found : undefined;
}

/** DynamoDB Streams and Lambda. */
export const createReplays = (callStreams: CallStreams, invoke: Invoke): Replays => ({
  async readChanges(changes) {
    try {
      return await readShard(callStreams, changes);
    } catch (error) {
      if (isAwsError(error, ...GONE)) return undefined;
      throw error;
    }
  },
  run: (functionArn, event) => invoke(functionArn, event, true),
  async start(functionArn, event) {
    await invoke(functionArn, event, false);
  },
});
