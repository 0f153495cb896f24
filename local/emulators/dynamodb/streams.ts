import * as z from 'zod';
import { parseJson } from '../../../contract/json.ts';
import { DynamoDbError, invalid, notFound } from './errors.ts';
import type { OpenTable, Storage } from './storage.ts';
import { type AwsLocation, type StreamView, streamArn } from './tables.ts';

/** The id of the first table's shard. It is constant, because the positions in existing data directories refer to it. */
const FIRST_SHARD_ID = 'shardId-00000001000000000000-00000001';
const MAX_RECORDS = 1000;
/** AWS retains records for a day. */
export const RETENTION_MS = 24 * 3600_000;
/** Maximum number of a table's records that one call of `trim` removes, so that it takes only a few milliseconds. */
const MAX_TRIMMED = 500;
/** Validity of an iterator. */
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

/** Returns the number of a table's latest change. The numbering continues after all changes have been trimmed. */
const lastNumber = (storage: Storage, table: OpenTable): number =>
  Number(storage.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?').get(changesOf(table))?.seq ?? 0);
const firstNumber = (storage: Storage, table: OpenTable): number | undefined => {
  const first = storage.prepare(`SELECT min(number) AS number FROM ${changesOf(table)}`).get()?.number;
  return typeof first === 'number' ? first : undefined;
};

/**
 * Returns the id of the only shard of a table's stream. It never closes, so that all changes are in one order. On AWS a stream has several
 * shards, and only the changes of one item are in order. As on AWS, no other stream has a shard of this id: a consumer stores its position by it.
 */
const shardIdOf = ({ definition: { number, createdAt } }: OpenTable): string =>
  number === 1 ? FIRST_SHARD_ID : `shardId-${String(createdAt).padStart(20, '0')}-${String(number).padStart(8, '0')}`;

function tableOfStream(storage: Storage, arn: string, location: AwsLocation): OpenTable {
  const table = storage.tables().find(({ definition }) => definition.stream && streamArn(definition, location) === arn);
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

/** Returns the JSON of a record. The images are stored as JSON and inserted unchanged. */
function recordOf(change: Change, view: StreamView, region: string): string {
  const name = change.old === null ? 'INSERT' : change.new === null ? 'REMOVE' : 'MODIFY';
  const images = IMAGES[view].flatMap((image) => {
    const body = change[image];
    return body === null ? [] : [`,"${image === 'new' ? 'NewImage' : 'OldImage'}":${body}`];
  });
  const id = change.number.toString(16).padStart(32, '0');
  return `{"eventID":"${id}","eventName":"${name}","eventVersion":"1.1","eventSource":"aws:dynamodb","awsRegion":"${region}"${change.isExpiry ? EXPIRED : ''},"dynamodb":{"ApproximateCreationDateTime":${change.at / 1000},"Keys":${change.keys}${images.join('')},"SequenceNumber":"${sequenceNumber(change.number)}","SizeBytes":${change.size},"StreamViewType":"${view}"}}`;
}

export function createStreams(storage: Storage, location: AwsLocation, now: () => number) {
  /** Returns an iterator. It contains the ARN of the stream, as on AWS, and the number of the change after which it reads. */
  const iterator = (arn: string, after: number): string =>
    `000|${arn}|${Buffer.from(JSON.stringify({ after, at: now() })).toString('base64')}`;

  function readIterator(text: string): { arn: string; after: number } {
    const [, arn = '', state = ''] = text.split('|');
    const parsed = z
      .object({ after: z.number(), at: z.number() })
      .safeParse(parseJson(Buffer.from(state, 'base64').toString()));
    if (!parsed.success) throw invalid('Invalid ShardIterator');
    if (now() - parsed.data.at > ITERATOR_MS) throw new DynamoDbError('ExpiredIteratorException', 'Iterator expired');
    return { arn, after: parsed.data.after };
  }

  return {
    ListStreams(input: unknown): object {
      const { TableName } = ListStreams.parse(input);
      const Streams = storage.tables().flatMap(({ definition }) => {
        const { TableName: name, stream } = definition;
        const isRequested = TableName === undefined || TableName === name;
        return stream && isRequested
          ? [{ TableName: name, StreamArn: streamArn(definition, location), StreamLabel: stream.label }]
          : [];
      });
      return { Streams };
    },

    DescribeStream(input: unknown): object {
      const { StreamArn, ExclusiveStartShardId } = DescribeStream.parse(input);
      const table = tableOfStream(storage, StreamArn, location);
      const { TableName, KeySchema, stream, createdAt } = table.definition;
      const shard = {
        ShardId: shardIdOf(table),
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
          Shards: ExclusiveStartShardId === shard.ShardId ? [] : [shard],
        },
      };
    },

    GetShardIterator(input: unknown): object {
      const { StreamArn, ShardId, ShardIteratorType, SequenceNumber } = GetShardIterator.parse(input);
      const table = tableOfStream(storage, StreamArn, location);
      if (ShardId !== shardIdOf(table))
        throw notFound(`Requested resource not found: Shard does not exist: ${ShardId}`);
      const isNumbered = ShardIteratorType.endsWith('SEQUENCE_NUMBER');
      if (isNumbered && !/^\d+$/.test(SequenceNumber ?? '')) throw invalid('SequenceNumber is missing or invalid');
      const first = firstNumber(storage, table) ?? lastNumber(storage, table) + 1;
      const number = Number(SequenceNumber) - (ShardIteratorType === 'AT_SEQUENCE_NUMBER' ? 1 : 0);
      // The change after the named one must not have been trimmed.
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
      const table = tableOfStream(storage, arn, location);
      const { stream } = table.definition;
      const changes = storage
        .prepare(
          `SELECT number, at, keys, old, new, size, isExpiry FROM ${changesOf(table)} WHERE number > ? ORDER BY number LIMIT ?`,
        )
        .all(after, Limit) as unknown as Change[];
      const records = changes.map((change) => recordOf(change, stream?.view ?? 'KEYS_ONLY', location.region));
      const next = iterator(arn, changes.at(-1)?.number ?? after);
      return `{"Records":[${records.join(',')}],"NextShardIterator":${JSON.stringify(next)}}`;
    },

    /**
     * Removes records that exceed the retention. Removes only some of the oldest per table, because the work blocks requests.
     * Returns true if there may be more.
     */
    trim(): boolean {
      let hasMore = false;
      for (const table of storage.tables()) {
        const changes = changesOf(table);
        // `at` has no index, but increases with `number`. A clock that was wrong may have left times far in the future: those records
        // are removed too.
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
