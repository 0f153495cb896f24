import * as z from 'zod';
import { DynamoDbError, invalid, notFound } from './errors.ts';
import type { OpenTable, Storage } from './storage.ts';
import { type Place, type StreamView, streamArn } from './tables.ts';

/**
 * A table's stream: one shard, which never ends, so that all changes are in one order. AWS divides a stream into shards, in each
 * of which the changes of an item are in order.
 */
const SHARD_ID = 'shardId-00000001000000000000-00000001';
const MAX_RECORDS = 1000;
/** AWS keeps records for a day. */
export const RETENTION_MS = 24 * 3600_000;
/** Records of a table that are looked at, and removed, at a time: some milliseconds. */
const MAX_TRIMMED = 500;
/** An iterator is valid for 15 minutes. */
const ITERATOR_MS = 15 * 60_000;

interface Change {
  number: number;
  at: number;
  keys: string;
  old: string | null;
  new: string | null;
  size: number;
  isExpiry: number;
}

const GetShardIterator = z.object({
  StreamArn: z.string(),
  ShardId: z.string(),
  ShardIteratorType: z.enum(['TRIM_HORIZON', 'LATEST', 'AT_SEQUENCE_NUMBER', 'AFTER_SEQUENCE_NUMBER']),
  SequenceNumber: z.optional(z.string()),
});
const GetRecords = z.object({ ShardIterator: z.string(), Limit: z.int().min(1).max(MAX_RECORDS).default(MAX_RECORDS) });
const DescribeStream = z.object({
  StreamArn: z.string(),
  Limit: z.optional(z.int()),
  ExclusiveStartShardId: z.optional(z.string()),
});
const ListStreams = z.object({ TableName: z.optional(z.string()) });

const sequenceNumber = (number: number): string => String(number).padStart(21, '0');
const changesOf = ({ definition }: OpenTable): string => `changes_${definition.number}`;

/** Returns the number of a table's last change. It counts on after all have been trimmed. */
const lastNumber = (storage: Storage, table: OpenTable): number =>
  Number(storage.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?').get(changesOf(table))?.seq ?? 0);
const firstNumber = (storage: Storage, table: OpenTable): number | undefined => {
  const first = storage.prepare(`SELECT min(number) AS number FROM ${changesOf(table)}`).get()?.number;
  return typeof first === 'number' ? first : undefined;
};

function tableOfStream(storage: Storage, arn: string, place: Place): OpenTable {
  const table = storage.tables().find(({ definition }) => definition.stream && streamArn(definition, place) === arn);
  if (!table) throw notFound(`Requested resource not found: Stream: ${arn} not found`);
  return table;
}

const IMAGES: Readonly<Record<StreamView, readonly ('old' | 'new')[]>> = {
  NEW_AND_OLD_IMAGES: ['new', 'old'],
  NEW_IMAGE: ['new'],
  OLD_IMAGE: ['old'],
  KEYS_ONLY: [],
};
const EXPIRED = ',"userIdentity":{"principalId":"dynamodb.amazonaws.com","type":"Service"}';

/** Returns a record's JSON: images are stored as they are sent. */
function recordOf(change: Change, view: StreamView, region: string): string {
  const name = change.old === null ? 'INSERT' : change.new === null ? 'REMOVE' : 'MODIFY';
  const images = IMAGES[view].flatMap((image) => {
    const body = change[image];
    return body === null ? [] : [`,"${image === 'new' ? 'NewImage' : 'OldImage'}":${body}`];
  });
  const id = change.number.toString(16).padStart(32, '0');
  return `{"eventID":"${id}","eventName":"${name}","eventVersion":"1.1","eventSource":"aws:dynamodb","awsRegion":"${region}"${change.isExpiry ? EXPIRED : ''},"dynamodb":{"ApproximateCreationDateTime":${change.at / 1000},"Keys":${change.keys}${images.join('')},"SequenceNumber":"${sequenceNumber(change.number)}","SizeBytes":${change.size},"StreamViewType":"${view}"}}`;
}

export function createStreams(storage: Storage, place: Place, now: () => number) {
  /** An iterator names its stream, as those of AWS do, and the change behind which it reads. */
  const iterator = (arn: string, after: number): string =>
    `000|${arn}|${Buffer.from(JSON.stringify({ after, at: now() })).toString('base64')}`;

  function readIterator(text: string): { arn: string; after: number } {
    const [, arn = '', state = ''] = text.split('|');
    const parsed = z
      .object({ after: z.number(), at: z.number() })
      .safeParse(tryJson(Buffer.from(state, 'base64').toString()));
    if (!parsed.success) throw invalid('Invalid ShardIterator');
    if (now() - parsed.data.at > ITERATOR_MS) throw new DynamoDbError('ExpiredIteratorException', 'Iterator expired');
    return { arn, after: parsed.data.after };
  }

  return {
    ListStreams(input: unknown): object {
      const { TableName } = ListStreams.parse(input);
      const Streams = storage.tables().flatMap(({ definition }) => {
        const { TableName: name, stream } = definition;
        const isAsked = TableName === undefined || TableName === name;
        return stream && isAsked
          ? [{ TableName: name, StreamArn: streamArn(definition, place), StreamLabel: stream.label }]
          : [];
      });
      return { Streams };
    },

    DescribeStream(input: unknown): object {
      const { StreamArn, ExclusiveStartShardId } = DescribeStream.parse(input);
      const table = tableOfStream(storage, StreamArn, place);
      const { TableName, KeySchema, stream, createdAt } = table.definition;
      const shard = {
        ShardId: SHARD_ID,
        SequenceNumberRange: { StartingSequenceNumber: sequenceNumber(firstNumber(storage, table) ?? 1) },
      };
      return {
        StreamDescription: {
          StreamArn,
          TableName,
          KeySchema,
          StreamLabel: stream?.label,
          StreamViewType: stream?.view,
          StreamStatus: stream?.isEnabled ? 'ENABLED' : 'DISABLED',
          CreationRequestDateTime: createdAt / 1000,
          Shards: ExclusiveStartShardId === SHARD_ID ? [] : [shard],
        },
      };
    },

    GetShardIterator(input: unknown): object {
      const { StreamArn, ShardId, ShardIteratorType, SequenceNumber } = GetShardIterator.parse(input);
      const table = tableOfStream(storage, StreamArn, place);
      if (ShardId !== SHARD_ID) throw notFound(`Requested resource not found: Shard does not exist: ${ShardId}`);
      const isNumbered = ShardIteratorType.endsWith('SEQUENCE_NUMBER');
      if (isNumbered && !/^\d+$/.test(SequenceNumber ?? '')) throw invalid('SequenceNumber is missing or invalid');
      const first = firstNumber(storage, table) ?? lastNumber(storage, table) + 1;
      const number = Number(SequenceNumber) - (ShardIteratorType === 'AT_SEQUENCE_NUMBER' ? 1 : 0);
      // The change behind the named one must still be there.
      if (isNumbered && number + 1 < first)
        throw new DynamoDbError(
          'TrimmedDataAccessException',
          'The requested SequenceNumber is older than the trim horizon',
        );
      const after = isNumbered ? number : ShardIteratorType === 'LATEST' ? lastNumber(storage, table) : first - 1;
      return { ShardIterator: iterator(StreamArn, after) };
    },

    /** Returns the response as JSON. */
    GetRecords(input: unknown): string {
      const { ShardIterator, Limit } = GetRecords.parse(input);
      const { arn, after } = readIterator(ShardIterator);
      const table = tableOfStream(storage, arn, place);
      const { stream } = table.definition;
      const changes = storage
        .prepare(
          `SELECT number, at, keys, old, new, size, isExpiry FROM ${changesOf(table)} WHERE number > ? ORDER BY number LIMIT ?`,
        )
        .all(after, Limit) as unknown as Change[];
      const records = changes.map((change) => recordOf(change, stream?.view ?? 'KEYS_ONLY', place.region));
      const next = iterator(arn, changes.at(-1)?.number ?? after);
      return `{"Records":[${records.join(',')}],"NextShardIterator":${JSON.stringify(next)}}`;
    },

    /**
     * Forgets records that are older than a stream keeps them, of each table a few of the oldest, because requests wait meanwhile.
     * Returns true if there may be more of them.
     */
    trim(): boolean {
      let hasMore = false;
      for (const table of storage.tables()) {
        const changes = changesOf(table);
        // `at` has no index, but rises with `number`; a clock that was ahead has left times that do not come for long.
        const { changes: trimmed } = storage
          .prepare(
            `DELETE FROM ${changes} WHERE number <= (SELECT max(number) FROM (SELECT number, at FROM ${changes} ORDER BY number LIMIT ?) WHERE at < ? OR at > ?)`,
          )
          .run(MAX_TRIMMED, now() - RETENTION_MS, now() + RETENTION_MS);
        hasMore ||= trimmed === MAX_TRIMMED;
      }
      return hasMore;
    },
  };
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
