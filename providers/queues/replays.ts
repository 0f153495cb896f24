import { tolerate } from '../aws-errors.ts';

/** A range of changes in a shard of a table's stream, by the first and last sequence number. */
export interface FailedChanges {
  streamArn: string;
  shardId: string;
  startSequenceNumber: string;
  endSequenceNumber: string;
}

/** Replays the work of failed functions. */
export interface Replays {
  /**
   * Reads changes again, in the form that the stream's consumer receives. Returns undefined if the stream no longer has them, or if too many
   * other changes are between the first and the last: a part of them would be taken for all.
   */
  readChanges(changes: FailedChanges): Promise<object[] | undefined>;
  /** Invokes a function and waits for its end. @returns the error if the function failed again */
  run(functionArn: string, event: object): Promise<string | undefined>;
  /** Invokes a function without waiting. If it fails again, the event goes to the function's own failure queue. */
  start(functionArn: string, event: object): Promise<void>;
}

type CallStreams = <Output>(operation: string, input: object) => Promise<Output>;

/** Invokes a function as Lambda's `Invoke` does. @returns the function's error, if it failed */
export type Invoke = (functionArn: string, event: object, waits: boolean) => Promise<string | undefined>;

interface StreamRecord {
  dynamodb: { SequenceNumber: string };
}

/** Maximum pages to read from a shard. Between the two sequence numbers there may be changes of other batches and of no rule. */
const MAX_PAGES = 20;
/** A stream keeps its records for 24 hours (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html). */
const GONE = { TrimmedDataAccessException: undefined, ResourceNotFoundException: undefined };

const isWithin = (number: string, { startSequenceNumber, endSequenceNumber }: FailedChanges): boolean =>
  BigInt(number) >= BigInt(startSequenceNumber) && BigInt(number) <= BigInt(endSequenceNumber);

async function readShard(callStreams: CallStreams, changes: FailedChanges): Promise<object[] | undefined> {
  const { streamArn: StreamArn, shardId: ShardId, startSequenceNumber: SequenceNumber } = changes;
  const at = { StreamArn, ShardId, ShardIteratorType: 'AT_SEQUENCE_NUMBER', SequenceNumber };
  const found: object[] = [];
  let { ShardIterator: next } = await callStreams<{ ShardIterator?: string }>('GetShardIterator', at);
  for (let page = 0; next !== undefined; page += 1) {
    if (page === MAX_PAGES) return undefined;
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

/** Implementation with DynamoDB Streams and Lambda. */
export const createReplays = (callStreams: CallStreams, invoke: Invoke): Replays => ({
  readChanges: (changes) => tolerate(readShard(callStreams, changes), GONE),
  run: (functionArn, event) => invoke(functionArn, event, true),
  async start(functionArn, event) {
    await invoke(functionArn, event, false);
  },
});
