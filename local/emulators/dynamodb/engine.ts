import * as z from 'zod';
import { isObject } from '../../../contract/json.ts';
import { createBackups } from './backups.ts';
import { DynamoDbError, invalid } from './errors.ts';
import * as items from './items.ts';
import * as queries from './queries.ts';
import type { Input } from './requests.ts';
import { keyOf, type OpenTable, Storage } from './storage.ts';
import { createStreams } from './streams.ts';
import { type AwsLocation, changeTable, type Definition, defineTable, describe, tableArn } from './tables.ts';
import * as transactions from './transactions.ts';
import type { Item } from './values.ts';

export interface EngineOptions extends AwsLocation {
  /** File of the database; undefined keeps it in memory. */
  file?: string | undefined;
  now?: () => number;
}

const TableInput = z.object({ TableName: z.string() });
const ListTables = z.object({
  ExclusiveStartTableName: z.optional(z.string()),
  Limit: z.int().min(1).max(100).default(100),
});
const TimeToLive = z.object({
  TableName: z.string(),
  TimeToLiveSpecification: z.object({ AttributeName: z.string(), Enabled: z.boolean() }),
});

/** Maximum number of expired items of a table that one call of `removeExpired` removes. */
const MAX_EXPIRED = 100;

/**
 * Creates DynamoDB in this process: the operations on tables, items and streams, with the limits of its documentation. Refuses the legacy
 * parameters that expressions replaced, PartiQL, local indexes and global tables (docs/decisions/0080-own-table-engine.md).
 */
export function createEngine({ region, account, file, now = Date.now }: EngineOptions) {
  const location: AwsLocation = { region, account };
  const storage = new Storage(file);
  const tokens: transactions.Tokens = new Map();
  const { trim, ...streams } = createStreams(storage, location, now);

  function statistics({ sqlName }: OpenTable): { items: number; bytes: number } {
    const row = storage.prepare(`SELECT count(*) AS items, total(size) AS bytes FROM ${sqlName}`).get();
    return { items: Number(row?.items), bytes: Number(row?.bytes) };
  }
  const descriptionOf = (table: OpenTable): object => describe(table.definition, location, statistics(table));
  const tableIn = (input: unknown): OpenTable => storage.tableOf(TableInput.parse(input).TableName);

  const control = {
    CreateTable(input: unknown): object {
      const definition = defineTable(input, storage.nextNumber(), now());
      if (storage.hasTable(definition.TableName))
        throw new DynamoDbError('ResourceInUseException', `Table already exists: ${definition.TableName}`);
      return { TableDescription: descriptionOf(storage.save(definition)) };
    },
    UpdateTable(input: unknown): object {
      return { TableDescription: descriptionOf(storage.save(changeTable(tableIn(input).definition, input, now()))) };
    },
    DescribeTable: (input: unknown): object => ({ Table: descriptionOf(tableIn(input)) }),
    DeleteTable(input: unknown): object {
      const table = tableIn(input);
      if (table.definition.isProtected)
        throw invalid(
          `Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.`,
        );
      const TableDescription = { ...descriptionOf(table), TableStatus: 'DELETING' };
      storage.remove(table);
      return { TableDescription };
    },
    ListTables(input: unknown): object {
      const { ExclusiveStartTableName = '', Limit } = ListTables.parse(input);
      const names = storage.tables().map(({ definition }) => definition.TableName);
      const remaining = names.filter((name) => name > ExclusiveStartTableName).sort();
      const TableNames = remaining.slice(0, Limit);
      return { TableNames, ...(remaining.length > Limit ? { LastEvaluatedTableName: TableNames.at(-1) } : {}) };
    },
    UpdateTimeToLive(input: unknown): object {
      const { TimeToLiveSpecification } = TimeToLive.parse(input);
      const { timeToLive, ...definition } = tableIn(input).definition;
      const { AttributeName, Enabled } = TimeToLiveSpecification;
      if (Enabled && timeToLive !== undefined) throw invalid('TimeToLive is already enabled');
      if (!Enabled && timeToLive === undefined) throw invalid('TimeToLive is already disabled');
      const after: Definition = Enabled ? { ...definition, timeToLive: AttributeName } : definition;
      storage.save(after);
      return { TimeToLiveSpecification };
    },
    DescribeTimeToLive(input: unknown): object {
      const { timeToLive } = tableIn(input).definition;
      const status =
        timeToLive === undefined
          ? { TimeToLiveStatus: 'DISABLED' }
          : { TimeToLiveStatus: 'ENABLED', AttributeName: timeToLive };
      return { TimeToLiveDescription: status };
    },
  };

  /** The operations by name. A response is an object, or JSON as a string. */
  const operations: Readonly<Record<string, (input: Input) => object | string>> = {
    GetItem: (input) => items.getItem(storage, input),
    PutItem: (input) => items.write(storage, 'Put', input, now()),
    UpdateItem: (input) => items.write(storage, 'Update', input, now()),
    DeleteItem: (input) => items.write(storage, 'Delete', input, now()),
    BatchGetItem: (input) => items.batchGet(storage, input),
    BatchWriteItem: (input) => items.batchWrite(storage, input, now()),
    TransactWriteItems: (input) => transactions.transactWrite(storage, tokens, input, now()),
    TransactGetItems: (input) => transactions.transactGet(storage, input),
    Query: (input) => queries.query(storage, input),
    Scan: (input) => queries.scan(storage, input),
    ...control,
    ...streams,
    ...createBackups(storage, location, now),
  };

  return {
    /** Runs an operation and returns its response as JSON. Throws {@link DynamoDbError}. */
    run(name: string, body: string): string {
      const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
      if (!operation)
        throw new DynamoDbError(
          'UnknownOperationException',
          `The operation ${name} is not supported by the local run.`,
        );
      const input: unknown = body === '' ? {} : JSON.parse(body);
      if (!isObject(input)) throw invalid('The request must be a JSON object');
      const output = operation(input);
      return typeof output === 'string' ? output : JSON.stringify(output);
    },

    /**
     * Removes expired items, as DynamoDB does within a few days, and expired stream records. The work of a call is bounded, because it
     * blocks requests. Returns true if more may be expired.
     */
    removeExpired(): boolean {
      let hasMore = false;
      for (const table of storage.tables()) {
        if (table.definition.timeToLive === undefined) continue;
        const { sqlName } = table;
        const expired = storage
          .prepare(`SELECT body FROM ${sqlName} WHERE expires IS NOT NULL AND expires < ? ORDER BY expires LIMIT ?`)
          .all(now() / 1000, MAX_EXPIRED);
        storage.atomically(() => {
          for (const { body } of expired) {
            const item: Item = JSON.parse(String(body));
            storage.write(table, { key: keyOf(table.keys, item), before: item, at: now(), isExpiry: true });
          }
        });
        hasMore ||= expired.length === MAX_EXPIRED;
      }
      return trim() || hasMore;
    },

    arnOf: (name: string): string => tableArn(name, location),
    close: () => storage.close(),
  };
}

export type Engine = ReturnType<typeof createEngine>;
