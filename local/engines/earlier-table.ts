import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { call } from './wire.ts';

/** The database of DynamoDB Local, which earlier versions of the local run used. */
const FILE = 'shared-local-instance.db';
const BATCH_SIZE = 25;

export interface EarlierTables {
  /** Copies the items of an earlier run's table into the new table of the same name. */
  copyItems(url: string, TableName: string): Promise<void>;
  /** Renames the database, so that the next start does not read it again. */
  done(): void;
}

/** Opens the tables of an earlier version in a run's directory of tables; undefined if there are none. */
export function openEarlierTables(folder: string | undefined): EarlierTables | undefined {
  const file = folder && join(folder, FILE);
  if (!file || !existsSync(file)) return undefined;
  return {
    async copyItems(url, TableName) {
      const database = new DatabaseSync(file);
      try {
        const isThere = database
          .prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?")
          .get(TableName);
        if (!isThere) return;
        const rows = database.prepare(`SELECT ObjectJSON FROM "${TableName}"`).all();
        const puts = rows.map(({ ObjectJSON }) => ({
          PutRequest: { Item: JSON.parse(Buffer.from(ObjectJSON as Uint8Array).toString('utf8')) },
        }));
        for (let from = 0; from < puts.length; from += BATCH_SIZE)
          await call(url, 'dynamodb', 'BatchWriteItem', {
            RequestItems: { [TableName]: puts.slice(from, from + BATCH_SIZE) },
          });
      } finally {
        database.close();
      }
    },
    done: () => renameSync(file, `${file}.copied`),
  };
}
