import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json, type JsonObject } from '../template/intrinsics.ts';
import { call } from './wire.ts';

type Index = JsonObject & { IndexName: string };

const asObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
const isIndex = (value: Json): value is Index => isObject(value) && typeof value.IndexName === 'string';
const indexesOf = ({ GlobalSecondaryIndexes: indexes }: JsonObject): Index[] =>
  Array.isArray(indexes) ? indexes.filter(isIndex) : [];

/** Returns the settings of an index that cannot be changed: an index with others must be replaced. */
const shapeOf = ({ KeySchema, Projection }: Index) => ({ KeySchema, Projection });

/**
 * Updates the indexes of an existing table to those of the template: creates missing ones, and replaces those with other keys or
 * another projection. The engine fills them with the table's items. Changes one index at a time, as AWS requires
 * (https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateTable.html).
 */
export async function updateIndexes(url: string, wanted: JsonObject): Promise<string[]> {
  const { TableName = '', AttributeDefinitions = [] } = wanted;
  const read = async (): Promise<JsonObject> =>
    asObject((await call(url, 'dynamodb', 'DescribeTable', { TableName })).Table);
  const update = async (change: JsonObject) => {
    const changes = { TableName, AttributeDefinitions, GlobalSecondaryIndexUpdates: [change] };
    await call(url, 'dynamodb', 'UpdateTable', changes);
    for (;;) {
      const table = await read();
      if (table.TableStatus === 'ACTIVE' && indexesOf(table).every((each) => each.IndexStatus === 'ACTIVE')) return;
      await sleep(50);
    }
  };
  const existing = new Map(indexesOf(await read()).map((index) => [index.IndexName, index]));
  const changed: string[] = [];
  for (const index of indexesOf(wanted)) {
    const before = existing.get(index.IndexName);
    if (before && isDeepStrictEqual(shapeOf(before), shapeOf(index))) continue;
    if (before) await update({ Delete: { IndexName: index.IndexName } });
    await update({ Create: index });
    changed.push(index.IndexName);
  }
  return changed;
}
