import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ACCOUNT, REGION } from '../addresses.ts';
import { type DataDirectory, UserError } from '../data-directory.ts';
import type { Children } from '../processes/children.ts';
import { isObject, type JsonObject } from '../template/intrinsics.ts';
import type { Resource, Template } from '../template/template.ts';
import { type EarlierTables, openEarlierTables } from './earlier-table.ts';
import { updateIndexes } from './table-changes.ts';
import { call, WireError, waitUntilUp } from './wire.ts';

const PROCESS = fileURLToPath(new URL('../emulators/dynamodb/process.ts', import.meta.url));

/** Properties of a table resource that CreateTable accepts under the same name. */
const TABLE_PROPERTIES = ['AttributeDefinitions', 'KeySchema', 'GlobalSecondaryIndexes', 'LocalSecondaryIndexes'];

/** Returns the directory of a run's tables; undefined for a run in memory. */
export const tablesFolder = ({ path, temporary }: Pick<DataDirectory, 'path' | 'temporary'>): string | undefined =>
  temporary ? undefined : join(path, 'dynamodb');

export interface DynamoDbOptions {
  port: number;
  /** Directory of the database; undefined keeps it in memory. */
  folder?: string | undefined;
  children: Children;
  /** Directory of the key that signs sessions, and URL of the authorizer; undefined allows all requests. */
  rights?: { sessionsDir: string; authorizerUrl: string } | undefined;
}

/** Starts the process of the table engine. Resolves with its address once it answers. Throws a user error if it does not start. */
export async function startDynamoDb({ port, folder, children, rights }: DynamoDbOptions): Promise<string> {
  if (folder) mkdirSync(folder, { recursive: true });
  const file = folder && join(folder, 'table.db');
  const { sessionsDir = '', authorizerUrl = '' } = rights ?? {};
  const args = [PROCESS, String(port), REGION, ACCOUNT, sessionsDir, authorizerUrl, ...(file ? [file] : [])];
  const engine = children.spawn(process.execPath, args, {
    label: 'dynamodb',
    essential: true,
  });
  const url = `http://127.0.0.1:${port}`;
  await waitUntilUp(
    () => call(url, 'dynamodb', 'ListTables', {}),
    () => {
      if (engine.exitCode !== null || engine.signalCode !== null)
        throw new UserError('The local table did not start. Its output is in logs/dynamodb.log of the data directory.');
    },
  );
  return url;
}

const asObject = (value: JsonObject[string] | undefined): JsonObject => (isObject(value) ? value : {});

/** Returns CreateTable's input for a table of the template, of either resource type. */
function tableInput({ name, properties }: Resource): JsonObject {
  const input: JsonObject = { TableName: name, BillingMode: 'PAY_PER_REQUEST' };
  for (const property of TABLE_PROPERTIES) {
    const value = properties[property];
    if (value !== undefined) input[property] = value;
  }
  for (const index of Array.isArray(input.GlobalSecondaryIndexes) ? input.GlobalSecondaryIndexes : []) {
    const settings = asObject(index);
    // Removes capacity settings, which have no effect here. CreateTable accepts only some of them.
    for (const key of Object.keys(settings)) {
      if (!['IndexName', 'KeySchema', 'Projection'].includes(key)) delete settings[key];
    }
  }
  const view = asObject(properties.StreamSpecification).StreamViewType;
  if (view !== undefined) input.StreamSpecification = { StreamEnabled: true, StreamViewType: view };
  return input;
}

/** Creates a table with the items of an earlier version's table. Its stream begins after them, because they are not changes. */
async function createTable(url: string, table: Resource, earlier: EarlierTables | undefined): Promise<void> {
  const { StreamSpecification, ...input } = tableInput(table);
  const { TableName = '' } = input;
  // As long as the earlier tables exist, the copy is incomplete and starts again.
  if (earlier) await call(url, 'dynamodb', 'DeleteTable', { TableName }).catch(() => undefined);
  await call(url, 'dynamodb', 'CreateTable', input);
  await earlier?.copyItems(url, String(TableName));
  if (StreamSpecification) await call(url, 'dynamodb', 'UpdateTable', { TableName, StreamSpecification });
  const { AttributeName, Enabled } = asObject(table.properties.TimeToLiveSpecification);
  if (!AttributeName || Enabled === false) return;
  const TimeToLiveSpecification = { AttributeName, Enabled: true };
  await call(url, 'dynamodb', 'UpdateTimeToLive', { TableName, TimeToLiveSpecification });
}

/**
 * Creates the template's missing tables with their indexes, stream and time to live. Adds missing indexes to the tables of an
 * earlier version of the platform.
 * @param folder directory of the tables; undefined for a run in memory
 */
export async function createTables(url: string, template: Template, folder?: string): Promise<void> {
  const tables = [...template.resources('AWS::DynamoDB::Table'), ...template.resources('AWS::DynamoDB::GlobalTable')];
  const earlier = openEarlierTables(folder);
  await Promise.all(
    tables.map(async (table) => {
      try {
        await createTable(url, table, earlier);
      } catch (error) {
        if (!(error instanceof WireError) || error.name !== 'ResourceInUseException') throw error;
        await updateIndexes(url, tableInput(table));
      }
    }),
  );
  earlier?.done();
}
