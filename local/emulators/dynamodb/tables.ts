import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { DynamoDbError, invalid, invalidParameter, notFound } from './errors.ts';

/** Names of the key attributes. */
export interface Keys {
  hash: string;
  range?: string | undefined;
}

const KeySchema = z
  .array(z.object({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }))
  .min(1)
  .max(2);
const Projection = z.object({
  ProjectionType: z.enum(['ALL', 'KEYS_ONLY', 'INCLUDE']).default('ALL'),
  NonKeyAttributes: z.optional(z.array(z.string())),
});
const Index = z.object({ IndexName: z.string().regex(/^[\w.-]{3,255}$/), KeySchema, Projection });
const AttributeDefinitions = z.array(z.object({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) }));
const StreamView = z.enum(['NEW_AND_OLD_IMAGES', 'NEW_IMAGE', 'OLD_IMAGE', 'KEYS_ONLY']);
const StreamSpecification = z.object({ StreamEnabled: z.boolean(), StreamViewType: z.optional(StreamView) });
const TableName = z.string().regex(/^[\w.-]{3,255}$/);

export type Index = z.output<typeof Index>;
export type StreamView = z.output<typeof StreamView>;

/** A table's stored definition. */
export const Definition = z.object({
  /** Part of the names of its SQL tables. */
  number: z.number(),
  TableName,
  TableId: z.string(),
  /** Epoch milliseconds. */
  createdAt: z.number(),
  AttributeDefinitions,
  KeySchema,
  GlobalSecondaryIndexes: z.array(Index),
  stream: z.optional(z.object({ label: z.string(), view: StreamView, isEnabled: z.boolean() })),
  timeToLive: z.optional(z.string()),
  isProtected: z.boolean(),
  /** The table from which this one was restored, and the time in Unix seconds. */
  restoreOf: z.optional(z.object({ name: z.string(), at: z.number() })),
});
export type Definition = z.output<typeof Definition>;

const CreateTable = z.object({
  TableName,
  AttributeDefinitions,
  KeySchema,
  GlobalSecondaryIndexes: z.array(Index).max(20).default([]),
  LocalSecondaryIndexes: z.optional(z.never()),
  StreamSpecification: z.optional(StreamSpecification),
  DeletionProtectionEnabled: z.boolean().default(false),
});

export const keysOf = (schema: Index['KeySchema']): Keys => ({
  hash: schema.find(({ KeyType }) => KeyType === 'HASH')?.AttributeName ?? '',
  range: schema.find(({ KeyType }) => KeyType === 'RANGE')?.AttributeName,
});

/** Throws unless exactly the attributes of the keys are defined. */
function checkAttributes({
  AttributeDefinitions,
  KeySchema,
  GlobalSecondaryIndexes,
}: Pick<Definition, 'AttributeDefinitions' | 'KeySchema' | 'GlobalSecondaryIndexes'>): void {
  const defined = AttributeDefinitions.map(({ AttributeName }) => AttributeName);
  const used = new Set(
    [KeySchema, ...GlobalSecondaryIndexes.map((index) => index.KeySchema)]
      .flat()
      .map(({ AttributeName }) => AttributeName),
  );
  const missing = [...used].filter((name) => !defined.includes(name));
  if (missing.length > 0)
    throw invalidParameter(
      `Some index key attributes are not defined in AttributeDefinitions. Keys: [${missing}], AttributeDefinitions: [${defined}]`,
    );
  const unused = defined.filter((name) => !used.has(name));
  if (unused.length > 0)
    throw invalidParameter(
      `Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions`,
    );
}

/** Returns the definition of a new table from the input of CreateTable. */
export function defineTable(input: unknown, number: number, now: number): Definition {
  const { StreamSpecification: stream, DeletionProtectionEnabled, ...rest } = CreateTable.parse(input);
  checkAttributes(rest);
  return {
    TableName: rest.TableName,
    AttributeDefinitions: rest.AttributeDefinitions,
    KeySchema: rest.KeySchema,
    GlobalSecondaryIndexes: rest.GlobalSecondaryIndexes,
    number,
    createdAt: now,
    TableId: randomUUID(),
    isProtected: DeletionProtectionEnabled,
    ...(stream?.StreamEnabled ? { stream: openStream(stream, now) } : {}),
  };
}

function openStream(
  { StreamViewType }: z.output<typeof StreamSpecification>,
  now: number,
): NonNullable<Definition['stream']> {
  if (!StreamViewType) throw invalidParameter('StreamViewType is required when the stream is enabled');
  return { label: new Date(now).toISOString().replace('Z', ''), view: StreamViewType, isEnabled: true };
}

const UpdateTable = z.object({
  TableName: z.string(),
  AttributeDefinitions: z.optional(AttributeDefinitions),
  GlobalSecondaryIndexUpdates: z
    .array(
      z.object({
        Create: z.optional(Index),
        Delete: z.optional(z.object({ IndexName: z.string() })),
        Update: z.optional(z.unknown()),
      }),
    )
    .default([]),
  StreamSpecification: z.optional(StreamSpecification),
  DeletionProtectionEnabled: z.optional(z.boolean()),
});

/** Returns a table's definition with the changes of UpdateTable. */
export function changeTable(before: Definition, input: unknown, now: number): Definition {
  const { GlobalSecondaryIndexUpdates, StreamSpecification: stream, ...rest } = UpdateTable.parse(input);
  const created = GlobalSecondaryIndexUpdates.flatMap(({ Create }) => Create ?? []);
  const deleted = GlobalSecondaryIndexUpdates.flatMap(({ Delete }) => Delete ?? []);
  if (created.length + deleted.length > 1)
    throw new DynamoDbError(
      'LimitExceededException',
      'Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table',
    );
  const existing = before.GlobalSecondaryIndexes;
  for (const { IndexName } of created)
    if (existing.some((index) => index.IndexName === IndexName))
      throw invalid(`Attempting to create an index which already exists`);
  for (const { IndexName } of deleted)
    if (!existing.some((index) => index.IndexName === IndexName)) throw notFound('Requested resource not found');
  const GlobalSecondaryIndexes = [
    ...existing.filter(({ IndexName }) => IndexName !== deleted[0]?.IndexName),
    ...created,
  ];
  const used = new Set(
    [before.KeySchema, ...GlobalSecondaryIndexes.map((index) => index.KeySchema)]
      .flat()
      .map(({ AttributeName }) => AttributeName),
  );
  const definitions = new Map(
    [...before.AttributeDefinitions, ...(rest.AttributeDefinitions ?? [])].map((each) => [each.AttributeName, each]),
  );
  const after: Definition = {
    ...before,
    GlobalSecondaryIndexes,
    AttributeDefinitions: [...definitions.values()].filter(({ AttributeName }) => used.has(AttributeName)),
    isProtected: rest.DeletionProtectionEnabled ?? before.isProtected,
  };
  checkAttributes(after);
  if (stream) {
    const isEnabled = before.stream?.isEnabled === true;
    if (stream.StreamEnabled && isEnabled) throw invalid('Table already has an enabled stream');
    if (stream.StreamEnabled) after.stream = openStream(stream, now);
    else if (before.stream) after.stream = { ...before.stream, isEnabled: false };
  }
  return after;
}

/** The region and account of a table, for its ARNs. */
export interface AwsLocation {
  region: string;
  account: string;
}

export const tableArn = (name: string, { region, account }: AwsLocation): string =>
  `arn:aws:dynamodb:${region}:${account}:table/${name}`;
export const streamArn = ({ TableName, stream }: Definition, location: AwsLocation): string =>
  `${tableArn(TableName, location)}/stream/${stream?.label}`;

const NO_THROUGHPUT = { NumberOfDecreasesToday: 0, ReadCapacityUnits: 0, WriteCapacityUnits: 0 };

/** Returns a table as DescribeTable shows it. */
export function describe(table: Definition, location: AwsLocation, stored: { items: number; bytes: number }): object {
  const arn = tableArn(table.TableName, location);
  const { stream, restoreOf } = table;
  return {
    TableName: table.TableName,
    TableId: table.TableId,
    TableArn: arn,
    TableStatus: 'ACTIVE',
    AttributeDefinitions: table.AttributeDefinitions,
    KeySchema: table.KeySchema,
    CreationDateTime: table.createdAt / 1000,
    ItemCount: stored.items,
    TableSizeBytes: stored.bytes,
    ProvisionedThroughput: NO_THROUGHPUT,
    DeletionProtectionEnabled: table.isProtected,
    BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST', LastUpdateToPayPerRequestDateTime: table.createdAt / 1000 },
    ...(restoreOf
      ? {
          RestoreSummary: {
            SourceTableArn: tableArn(restoreOf.name, location),
            RestoreDateTime: restoreOf.at,
            RestoreInProgress: false,
          },
        }
      : {}),
    ...(table.GlobalSecondaryIndexes.length > 0
      ? {
          GlobalSecondaryIndexes: table.GlobalSecondaryIndexes.map((index) => ({
            ...index,
            IndexStatus: 'ACTIVE',
            IndexArn: `${arn}/index/${index.IndexName}`,
            IndexSizeBytes: 0,
            ItemCount: 0,
            ProvisionedThroughput: NO_THROUGHPUT,
          })),
        }
      : {}),
    ...(stream?.isEnabled ? { StreamSpecification: { StreamEnabled: true, StreamViewType: stream.view } } : {}),
    ...(stream ? { LatestStreamArn: streamArn(table, location), LatestStreamLabel: stream.label } : {}),
  };
}
