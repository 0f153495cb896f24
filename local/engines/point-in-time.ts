import type { WireResponse } from '../emulators/wire.ts';
import { isObject, type Json, type JsonObject } from '../template/intrinsics.ts';
import { call, WireError } from './wire.ts';

/** DynamoDB Local gives changes the minute in which they happened, so a restore is to the beginning of a minute. */
const MINUTE_S = 60;
/** Seconds that a stream keeps changes, from which a restore is computed. AWS restores to any second of 35 days. */
const WINDOW_S = 24 * 3600;
const BATCH_SIZE = 25;

type Call = (service: 'dynamodb' | 'streams', operation: string, input: object) => Promise<JsonObject>;

const asObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
const objects = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Reads a table's description. */
const describeTable = async (ask: Call, TableName: string): Promise<JsonObject> =>
  asObject((await ask('dynamodb', 'DescribeTable', { TableName })).Table);

/** Returns the times between which a table can be restored, in Unix seconds. */
function windowOf(table: JsonObject, now: number): { earliest: number; latest: number } {
  const begun = Math.max(Number(table.CreationDateTime), now - WINDOW_S);
  return { earliest: Math.ceil(begun / MINUTE_S) * MINUTE_S, latest: Math.floor(now / MINUTE_S) * MINUTE_S };
}

async function describe(ask: Call, { TableName }: JsonObject, now: number): Promise<JsonObject> {
  const { earliest, latest } = windowOf(await describeTable(ask, String(TableName)), now);
  return {
    ContinuousBackupsDescription: {
      ContinuousBackupsStatus: 'ENABLED',
      PointInTimeRecoveryDescription: {
        PointInTimeRecoveryStatus: 'ENABLED',
        EarliestRestorableDateTime: earliest,
        LatestRestorableDateTime: latest,
      },
    },
  };
}

/** Returns the text of an item's key. */
const keyOf = (names: readonly string[], item: JsonObject): string =>
  JSON.stringify(names.map((name) => item[name] ?? null));

/** Reads what keys held before the first change at or after a time: null where they held nothing. */
async function readEarlier(ask: Call, StreamArn: Json, names: readonly string[], at: number) {
  const earlier = new Map<string, JsonObject | null>();
  const { Shards } = asObject((await ask('streams', 'DescribeStream', { StreamArn })).StreamDescription);
  for (const { ShardId } of objects(Shards)) {
    const from = { StreamArn, ShardId: ShardId ?? '', ShardIteratorType: 'TRIM_HORIZON' };
    let next = (await ask('streams', 'GetShardIterator', from)).ShardIterator;
    while (next !== undefined) {
      const page = await ask('streams', 'GetRecords', { ShardIterator: next, Limit: 1000 });
      const records = objects(page.Records).map((record) => asObject(record.dynamodb));
      for (const { ApproximateCreationDateTime, Keys, OldImage } of records) {
        if (Number(ApproximateCreationDateTime) < at) continue;
        const key = keyOf(names, asObject(Keys));
        if (!earlier.has(key)) earlier.set(key, isObject(OldImage) ? OldImage : null);
      }
      // An open shard always has a next page.
      next = records.length > 0 ? page.NextShardIterator : undefined;
    }
  }
  return earlier;
}

/** Reads the items of a table as they were at a time: those of now, with the changes since then undone. */
async function itemsAt(ask: Call, table: JsonObject, at: number): Promise<JsonObject[]> {
  const { TableName = '', LatestStreamArn } = table;
  if (LatestStreamArn === undefined) throw invalid('The local run restores from the stream, which the table lacks.');
  const names = objects(table.KeySchema).map(({ AttributeName }) => String(AttributeName));
  const items = new Map<string, JsonObject>();
  let start: Json | undefined;
  do {
    const page = await ask('dynamodb', 'Scan', {
      ...{ TableName, ConsistentRead: true },
      ...(start === undefined ? {} : { ExclusiveStartKey: start }),
    });
    for (const item of objects(page.Items)) items.set(keyOf(names, item), item);
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
  // After the scan, so that a change during the scan is undone too.
  for (const [key, item] of await readEarlier(ask, LatestStreamArn, names, at)) {
    if (item) items.set(key, item);
    else items.delete(key);
  }
  return [...items.values()];
}

const invalid = (message: string) => new WireError('ValidationException', message);

/** Creates a table as another one was at a time, with its indexes; as on AWS without its stream and its time to live. */
async function restore(ask: Call, input: JsonObject, now: number): Promise<JsonObject> {
  const { SourceTableName, TargetTableName = '', RestoreDateTime } = input;
  const source = await describeTable(ask, String(SourceTableName));
  const { earliest, latest } = windowOf(source, now);
  const at = input.UseLatestRestorableTime === true ? latest : Number(RestoreDateTime);
  if (!(at >= earliest && at <= latest))
    throw new WireError('InvalidRestoreTimeException', `An invalid restore time was specified: ${at}`);
  if (at % MINUTE_S !== 0) throw invalid('The local run restores to the beginning of a minute.');
  const indexes = objects(source.GlobalSecondaryIndexes).map(({ IndexName = '', KeySchema = [], Projection = {} }) => ({
    ...{ IndexName, KeySchema, Projection },
  }));
  const { KeySchema = [], AttributeDefinitions = [] } = source;
  await ask('dynamodb', 'CreateTable', {
    ...{ TableName: TargetTableName, BillingMode: 'PAY_PER_REQUEST', KeySchema, AttributeDefinitions },
    ...(indexes.length > 0 ? { GlobalSecondaryIndexes: indexes } : {}),
  }).catch((error: unknown) => {
    const exists = error instanceof WireError && error.name === 'ResourceInUseException';
    throw exists ? new WireError('TableAlreadyExistsException', `Table already exists: ${TargetTableName}`) : error;
  });
  const items = await itemsAt(ask, source, at);
  for (let from = 0; from < items.length; from += BATCH_SIZE) {
    let requests: Json = items.slice(from, from + BATCH_SIZE).map((Item) => ({ PutRequest: { Item } }));
    while (requests !== undefined) {
      const written = await ask('dynamodb', 'BatchWriteItem', {
        RequestItems: { [String(TargetTableName)]: requests },
      });
      const left = asObject(written.UnprocessedItems)[String(TargetTableName)];
      if (left === undefined) break;
      requests = left;
    }
  }
  return { TableDescription: await describeTable(ask, String(TargetTableName)) };
}

const OPERATIONS: Readonly<Record<string, (ask: Call, input: JsonObject, now: number) => Promise<JsonObject>>> = {
  DescribeContinuousBackups: describe,
  UpdateContinuousBackups: describe,
  RestoreTableToPointInTime: restore,
};

/**
 * Returns the operations of point-in-time recovery, which DynamoDB Local lacks, for requests to it. They restore from the
 * table's stream.
 * @param url address of DynamoDB Local
 */
export function createPointInTime(
  url: string,
  now: () => number = Date.now,
): (target: string, body: Buffer) => Promise<WireResponse> | undefined {
  const ask: Call = (service, operation, input) => call(url, service, operation, input);
  return (target, body) => {
    const operation = OPERATIONS[target.split('.')[1] ?? ''];
    if (!operation) return undefined;
    const input: JsonObject = JSON.parse(body.toString('utf8'));
    const headers = { 'content-type': 'application/x-amz-json-1.0' };
    return operation(ask, input, Math.floor(now() / 1000)).then(
      (output) => ({ status: 200, headers, body: output }),
      (error: unknown) => {
        if (!(error instanceof WireError)) throw error;
        const { name, message } = error;
        return { status: 400, headers, body: { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message } };
      },
    );
  };
}
