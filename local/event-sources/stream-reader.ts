import { setTimeout as sleep } from 'node:timers/promises';
import { type CallOptions, call, WireError } from '../engines/wire.ts';
import { isObject, type Json, type JsonObject } from '../template/intrinsics.ts';
import type { PollPause } from './poll-pace.ts';

/** Progress per shard: a sequence number, or {@link TO_ITS_END}. */
export type Checkpoints = Record<string, string>;
const TO_ITS_END = 'end';

export interface ReaderOptions {
  /** URL of the table. */
  url: string;
  region: string;
  /** Credentials of the role that reads. Default: the administrator's. */
  credentials?: CallOptions['credentials'];
  table: string;
  /** Read at the start. The reader only writes ends of shards; the consumer of a shard writes positions within it. */
  checkpoints: Checkpoints;
  /** Receives records in order. No more are read until it resolves. */
  onRecords: (streamArn: string, shardId: string, records: JsonObject[]) => Promise<void>;
  /** Resolves when all delivered records are processed. */
  drained: () => Promise<void>;
  pause: PollPause;
}

const MAX_RECORDS = 1000;
const ERROR_PAUSE_MS = 500;

const objects = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Follows a table's stream from the checkpoints until the signal aborts; parent shards come before their children. */
export async function readStream(options: ReaderOptions, signal: AbortSignal): Promise<void> {
  const { url, region, credentials, checkpoints } = options;
  const ask = (operation: string, input: object): Promise<JsonObject> =>
    call(url, 'streams', operation, input, { region, signal, credentials });

  /** Lambda knows the stream's ARN from its mapping; here it has the time of the table's creation. */
  const streamArn = async (): Promise<string> => {
    const { Table } = await call(url, 'dynamodb', 'DescribeTable', { TableName: options.table }, { region, signal });
    const arn = isObject(Table) ? Table.LatestStreamArn : undefined;
    if (typeof arn !== 'string') throw new Error(`The table ${options.table} has no stream`);
    return arn;
  };

  const iterator = async (StreamArn: string, ShardId: string, after: string | undefined): Promise<Json | undefined> => {
    const position = after
      ? { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: after }
      : { ShardIteratorType: 'TRIM_HORIZON' };
    return (await ask('GetShardIterator', { StreamArn, ShardId, ...position })).ShardIterator;
  };

  const readShard = async (StreamArn: string, shardId: string): Promise<void> => {
    let after = checkpoints[shardId];
    let next: Json | undefined;
    for (let open = true; open && !signal.aborted; ) {
      try {
        next ??= await iterator(StreamArn, shardId, after);
        const { Records, NextShardIterator } = await ask('GetRecords', { ShardIterator: next, Limit: MAX_RECORDS });
        next = NextShardIterator;
        open = next !== undefined;
        const records = objects(Records);
        const last = records.at(-1)?.dynamodb;
        if (isObject(last)) after = String(last.SequenceNumber);
        if (records.length > 0) await options.onRecords(StreamArn, shardId, records);
        if (records.length < MAX_RECORDS && open) await options.pause(signal);
      } catch (error) {
        if (signal.aborted) return;
        const errorName = error instanceof WireError ? error.name : '';
        // The shard no longer exists, so the stream must be described again.
        if (errorName === 'ResourceNotFoundException') throw error;
        // After trimming, continues at the trim horizon. After any other error (an expired iterator, a refusal),
        // continues after the last record.
        if (errorName === 'TrimmedDataAccessException') after = undefined;
        next = undefined;
        await sleep(ERROR_PAUSE_MS, undefined, { signal }).catch(() => {});
      }
    }
    if (signal.aborted) return;
    await options.drained();
    checkpoints[shardId] = TO_ITS_END;
  };

  const running = new Map<string, Promise<void>>();
  const follow = async (): Promise<void> => {
    const StreamArn = await streamArn();
    const { StreamDescription } = await ask('DescribeStream', { StreamArn });
    const shards = objects(isObject(StreamDescription) ? StreamDescription.Shards : []);
    const known = new Set(shards.map(({ ShardId }) => String(ShardId)));
    const unfinished = (id: string): boolean => known.has(id) && checkpoints[id] !== TO_ITS_END;
    for (const { ShardId, ParentShardId } of shards) {
      const id = String(ShardId);
      if (!unfinished(id) || running.has(id) || (ParentShardId && unfinished(String(ParentShardId)))) continue;
      running.set(
        id,
        readShard(StreamArn, id).finally(() => running.delete(id)),
      );
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
      await sleep(ERROR_PAUSE_MS, undefined, { signal }).catch(() => {});
    }
  }
  await Promise.allSettled(running.values());
}
