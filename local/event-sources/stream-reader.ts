import { setTimeout as sleep } from 'node:timers/promises';
import { call, WireError } from '../engines/wire.ts';
import { isObject, type Json, type JsonObject } from '../template/intrinsics.ts';

/** How far each shard was worked through: a sequence number, or {@link TO_ITS_END}. */
export type Checkpoints = Record<string, string>;
const TO_ITS_END = 'end';

export interface ReaderOptions {
  /** DynamoDB Local. */
  url: string;
  region: string;
  table: string;
  /** Read at the start; only the end of a shard is written here, positions within it by whoever works it through. */
  checkpoints: Checkpoints;
  /** Receives records in their order; no more are read until it resolves. */
  onRecords: (shardId: string, records: JsonObject[]) => Promise<void>;
  /** Resolves when everything that was handed over is done. */
  drained: () => Promise<void>;
}

/** The pause between polls, in milliseconds: half of it is what a change waits on average. */
const POLL = 50;
const MOST_RECORDS = 1000;
const TROUBLE = 500;

const objects = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Follows a table's stream until the signal aborts: parents before their children, from the checkpoints on. */
export async function readStream(options: ReaderOptions, signal: AbortSignal): Promise<void> {
  const { url, region, checkpoints } = options;
  const ask = (operation: string, input: object): Promise<JsonObject> =>
    call(url, 'streams', operation, input, { region, signal });

  const streamArn = async (): Promise<string> => {
    const { Table } = await call(url, 'dynamodb', 'DescribeTable', { TableName: options.table }, { region, signal });
    const arn = isObject(Table) ? Table.LatestStreamArn : undefined;
    if (typeof arn !== 'string') throw new Error(`the table ${options.table} has no stream`);
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
        const { Records, NextShardIterator } = await ask('GetRecords', { ShardIterator: next, Limit: MOST_RECORDS });
        next = NextShardIterator;
        open = next !== undefined;
        const records = objects(Records);
        const last = records.at(-1)?.dynamodb;
        if (isObject(last)) after = String(last.SequenceNumber);
        if (records.length > 0) await options.onRecords(shardId, records);
        // Reading on at once would only crowd the database: under load every request leaves a record.
        if (records.length < MOST_RECORDS && open) await sleep(POLL, undefined, { signal });
      } catch (error) {
        if (signal.aborted) return;
        const why = error instanceof WireError ? error.name : '';
        // The whole shard is gone: what there is now has to be looked up.
        if (why === 'ResourceNotFoundException') throw error;
        // Trimmed: what is left begins at the horizon. Anything else (an iterator too old, a refusal): on from the last record.
        if (why === 'TrimmedDataAccessException') after = undefined;
        next = undefined;
        await sleep(TROUBLE, undefined, { signal }).catch(() => {});
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
    // A shard that ends has children; a stream without open shards gets some.
    await Promise.race([...running.values(), sleep(running.size > 0 ? 60_000 : TROUBLE, undefined, { signal })]);
  };
  while (!signal.aborted) {
    try {
      await follow();
    } catch (error) {
      if (signal.aborted) break;
      console.error(`stream of ${options.table}: ${error instanceof Error ? error.message : String(error)}`);
      await sleep(TROUBLE, undefined, { signal }).catch(() => {});
    }
  }
  await Promise.allSettled(running.values());
}
