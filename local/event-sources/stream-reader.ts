import { setTimeout as sleep } from 'node:timers/promises';
import { type CallOptions, call, WireError } from '../engines/wire.ts';
import { isObject, type Json, type JsonObject, objects } from '../template/intrinsics.ts';
import type { PollPause } from './poll-pace.ts';

/** Progress per shard: a sequence number, or {@link SHARD_END}. */
export type Checkpoints = Record<string, string>;
const SHARD_END = 'end';

export interface ReaderOptions {
  /** URL of the table. */
  url: string;
  region: string;
  /** Credentials of the role that reads. Default: the administrator's. */
  credentials?: CallOptions['credentials'];
  table: string;
  /** Read at the start. The reader writes only the ends of shards. The consumer of a shard writes the positions within it. */
  checkpoints: Checkpoints;
  /** Receives records in order. The next records are read after it resolves. */
  onRecords: (streamArn: string, shardId: string, records: JsonObject[]) => Promise<void>;
  /** Resolves when all delivered records are processed. */
  drained: () => Promise<void>;
  pause: PollPause;
}

const MAX_RECORDS = 1000;
const ERROR_PAUSE_MS = 500;

interface Shard {
  streamArn: string;
  id: string;
  parentId: string | undefined;
}

/** Creates a client with the requests that reading a table's stream needs. */
function streamClient({ url, region, credentials, table }: ReaderOptions, signal: AbortSignal) {
  const ask = (operation: string, input: object): Promise<JsonObject> =>
    call(url, 'streams', operation, input, { region, signal, credentials });
  return {
    /** Lambda knows the stream's ARN from its mapping. Here the ARN contains the creation time of the table, so it must be read. */
    async streamArn(): Promise<string> {
      const { Table } = await call(url, 'dynamodb', 'DescribeTable', { TableName: table }, { region, signal });
      const arn = isObject(Table) ? Table.LatestStreamArn : undefined;
      if (typeof arn !== 'string') throw new Error(`The table ${table} has no stream`);
      return arn;
    },
    async shards(StreamArn: string): Promise<Shard[]> {
      const { StreamDescription } = await ask('DescribeStream', { StreamArn });
      return objects(isObject(StreamDescription) ? StreamDescription.Shards : []).map(({ ShardId, ParentShardId }) => ({
        streamArn: StreamArn,
        id: String(ShardId),
        parentId: ParentShardId ? String(ParentShardId) : undefined,
      }));
    },
    async iterator({ streamArn, id }: Shard, after: string | undefined): Promise<Json | undefined> {
      const position = after
        ? { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: after }
        : { ShardIteratorType: 'TRIM_HORIZON' };
      return (await ask('GetShardIterator', { StreamArn: streamArn, ShardId: id, ...position })).ShardIterator;
    },
    /** Returns the next records and the iterator that follows them: undefined at the end of the shard. */
    async records(iterator: Json | undefined): Promise<{ records: JsonObject[]; next: Json | undefined }> {
      const { Records, NextShardIterator } = await ask('GetRecords', { ShardIterator: iterator, Limit: MAX_RECORDS });
      return { records: objects(Records), next: NextShardIterator };
    },
  };
}
type StreamClient = ReturnType<typeof streamClient>;

/** Returns the position after which reading continues. Throws the error if the shard no longer exists: the stream must be described again. */
function positionAfter(error: unknown, last: string | undefined): string | undefined {
  const errorName = error instanceof WireError ? error.name : '';
  if (errorName === 'ResourceNotFoundException') throw error;
  // After trimming, continues at the trim horizon. After any other error (an expired iterator, a refusal),
  // continues after the last record.
  return errorName === 'TrimmedDataAccessException' ? undefined : last;
}

const pauseAfterError = (signal: AbortSignal): Promise<void> =>
  sleep(ERROR_PAUSE_MS, undefined, { signal }).catch(() => {});

/** Delivers the records of a shard from its checkpoint until it ends or the signal aborts. */
async function readShard(
  client: StreamClient,
  shard: Shard,
  { checkpoints, onRecords, drained, pause }: ReaderOptions,
  signal: AbortSignal,
): Promise<void> {
  let after = checkpoints[shard.id];
  let iterator: Json | undefined;
  for (let open = true; open && !signal.aborted; ) {
    try {
      iterator ??= await client.iterator(shard, after);
      const { records, next } = await client.records(iterator);
      iterator = next;
      open = next !== undefined;
      const last = records.at(-1)?.dynamodb;
      if (isObject(last)) after = String(last.SequenceNumber);
      if (records.length > 0) await onRecords(shard.streamArn, shard.id, records);
      if (records.length < MAX_RECORDS && open) await pause(signal);
    } catch (error) {
      if (signal.aborted) return;
      after = positionAfter(error, after);
      iterator = undefined;
      await pauseAfterError(signal);
    }
  }
  if (signal.aborted) return;
  await drained();
  checkpoints[shard.id] = SHARD_END;
}

/** Returns the shards that can be read: those that are unfinished and whose parent, if any, is finished. */
function readable(shards: readonly Shard[], checkpoints: Checkpoints): Shard[] {
  const known = new Set(shards.map(({ id }) => id));
  const isUnfinished = (id: string): boolean => known.has(id) && checkpoints[id] !== SHARD_END;
  return shards.filter(({ id, parentId }) => isUnfinished(id) && (parentId === undefined || !isUnfinished(parentId)));
}

/** Follows a table's stream from the checkpoints until the signal aborts. Reads parent shards before their children. */
export async function readStream(options: ReaderOptions, signal: AbortSignal): Promise<void> {
  const client = streamClient(options, signal);
  const running = new Map<string, Promise<void>>();
  const follow = async (): Promise<void> => {
    const shards = await client.shards(await client.streamArn());
    for (const shard of readable(shards, options.checkpoints)) {
      if (running.has(shard.id)) continue;
      const reading = readShard(client, shard, options, signal).finally(() => running.delete(shard.id));
      running.set(shard.id, reading);
    }
    // A finished shard has children; a stream without open shards gets new ones.
    await Promise.race([...running.values(), sleep(running.size > 0 ? 60_000 : ERROR_PAUSE_MS, undefined, { signal })]);
  };
  while (!signal.aborted) {
    try {
      await follow();
    } catch (error) {
      if (signal.aborted) break;
      console.error(`stream of ${options.table}: ${error instanceof Error ? error.message : String(error)}`);
      await pauseAfterError(signal);
    }
  }
  await Promise.allSettled(running.values());
}
