import * as z from 'zod';
import { DynamoDbError, invalid } from './errors.ts';
import { keyOf, type OpenTable, type Storage } from './storage.ts';
import { RETENTION_MS } from './streams.ts';
import { type AwsLocation, type Definition, describe } from './tables.ts';
import type { Item } from './values.ts';

/** Point-in-time recovery from the changes of the last day. AWS restores to any second of the last 35 days. */

const TableInput = z.object({ TableName: z.string() });
const Restore = z.object({
  SourceTableName: z.string(),
  TargetTableName: z.string(),
  RestoreDateTime: z.optional(z.number()),
  UseLatestRestorableTime: z.optional(z.boolean()),
});

export function createBackups(storage: Storage, location: AwsLocation, now: () => number) {
  /** Returns the earliest and latest time to which a table can be restored, in Unix seconds. */
  const windowOf = ({ definition }: OpenTable) => ({
    earliest: Math.ceil(Math.max(definition.createdAt, now() - RETENTION_MS) / 1000),
    latest: Math.floor(now() / 1000),
  });

  function show(input: unknown): object {
    const { earliest, latest } = windowOf(storage.tableOf(TableInput.parse(input).TableName));
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

  /** Returns the items of a table as of a time in epoch milliseconds: the current items with all later changes undone. */
  function itemsAt(table: OpenTable, at: number): Item[] {
    const items = new Map<string, Item>();
    const keyTextOf = (pk: unknown, sk: unknown) => JSON.stringify([String(pk), String(sk)]);
    for (const { pk, sk, body } of storage.prepare(`SELECT pk, sk, body FROM ${table.sqlName}`).all())
      items.set(keyTextOf(pk, sk), JSON.parse(String(body)));
    const since = storage.prepare(
      `SELECT pk, sk, old FROM changes_${table.definition.number} WHERE at >= ? ORDER BY number DESC`,
    );
    for (const { pk, sk, old } of since.all(at)) {
      if (typeof old === 'string') items.set(keyTextOf(pk, sk), JSON.parse(old));
      else items.delete(keyTextOf(pk, sk));
    }
    return [...items.values()];
  }

  return {
    DescribeContinuousBackups: show,
    UpdateContinuousBackups: show,

    /** Restores a table with its indexes into a new table. As on AWS, the new table has neither the stream nor the time to live. */
    RestoreTableToPointInTime(input: unknown): object {
      const { SourceTableName, TargetTableName, RestoreDateTime, UseLatestRestorableTime } = Restore.parse(input);
      const source = storage.tableOf(SourceTableName);
      if (!source.definition.stream)
        throw invalid('The local run restores a table from its stream, but this table has none.');
      const { earliest, latest } = windowOf(source);
      const at = UseLatestRestorableTime ? latest : Number(RestoreDateTime);
      if (!(at >= earliest && at <= latest))
        throw new DynamoDbError('InvalidRestoreTimeException', `An invalid restore time was specified: ${at}`);
      if (storage.hasTable(TargetTableName))
        throw new DynamoDbError('TableAlreadyExistsException', `Table already exists: ${TargetTableName}`);
      const { stream, timeToLive, ...kept } = source.definition;
      const definition: Definition = {
        ...kept,
        TableName: TargetTableName,
        number: storage.nextNumber(),
        createdAt: now(),
        isProtected: false,
        restoreOf: { name: SourceTableName, at },
      };
      const target = storage.save(definition);
      const items = itemsAt(source, at * 1000);
      storage.atomically(() => {
        for (const item of items) storage.write(target, { key: keyOf(target.keys, item), after: item, at: now() });
      });
      return { TableDescription: describe(definition, location, { items: items.length, bytes: 0 }) };
    },
  };
}
