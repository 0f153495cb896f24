import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { UserError } from '../data-directory.ts';
import type { Children } from '../processes/children.ts';
import { isReachableFromOutside } from '../processes/ports.ts';
import type { JsonObject } from '../template/intrinsics.ts';
import type { Resource, Template } from '../template/template.ts';
import { writeLoopbackJetty } from './loopback-jetty.ts';
import { updateIndexes } from './table-changes.ts';
import { call, WireError, waitUntilUp } from './wire.ts';

const JAVA_NEEDED = 17;
const MAIN_CLASS = 'com.amazonaws.services.dynamodbv2.local.main.ServerRunner';
const require = createRequire(import.meta.url);

/** Properties of a table resource that CreateTable takes under the same name. */
const TABLE_PROPERTIES = [
  'AttributeDefinitions',
  'KeySchema',
  'BillingMode',
  'GlobalSecondaryIndexes',
  'LocalSecondaryIndexes',
];

/** Returns a message for users whose Java cannot run the database. */
function describeJavaProblem(): string {
  const { error, stderr } = spawnSync('java', ['-version'], { encoding: 'utf8' });
  const advice = `The local database needs Java ${JAVA_NEEDED} or newer (for instance: apt install openjdk-17-jre-headless, or brew install openjdk@17).`;
  if (error) return `Java was not found. ${advice}`;
  const version = /version "(?:1\.)?(\d+)/.exec(stderr)?.[1];
  if (version && Number(version) < JAVA_NEEDED) return `Java ${version} is too old. ${advice}`;
  return 'The local database (DynamoDB Local) did not start. Its output is in logs/dynamodb.log of the data directory.';
}

/**
 * Enables SQLite's write-ahead log, which halves the duration of a write. The mode is stored in the file, so it is set
 * once before Java creates the database; an empty file would not store it.
 */
function setWriteAheadLog(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'shared-local-instance.db');
  if (existsSync(file)) return;
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE touched (at); DROP TABLE touched;');
  database.close();
}

export interface DynamoDbOptions {
  port: number;
  /** Directory of the database; undefined keeps it in memory. */
  folder?: string | undefined;
  children: Children;
}

/**
 * Starts DynamoDB Local and resolves with its address once it answers. Throws a user error if it cannot start, or if
 * other machines could reach it.
 */
export async function startDynamoDb({ port, folder, children }: DynamoDbOptions): Promise<string> {
  const emulator = join(require.resolve('amplify-dynamodb-simulator/package.json'), '../emulator');
  if (folder) setWriteAheadLog(folder);
  // Each start unpacks a library into a new file and leaves it; in the system's temporary directory these would
  // accumulate.
  const temporary = join(children.dataDir, 'dynamodb-temporary');
  rmSync(temporary, { recursive: true, force: true });
  const classes = join(temporary, 'classes');
  mkdirSync(classes, { recursive: true });
  await writeLoopbackJetty(join(emulator, 'DynamoDBLocal_lib'), classes);
  const java = children.spawn(
    'java',
    [
      // Without it, Java begins with a heap of a sixty-fourth of the machine's memory, and keeps it.
      '-Xms24m',
      '-Xmx256m',
      '-XX:+UseSerialGC',
      '-XX:TieredStopAtLevel=1',
      '-Djava.library.path=./DynamoDBLocal_lib',
      `-Djava.io.tmpdir=${temporary}`,
      '-cp',
      [classes, 'DynamoDBLocal.jar'].join(delimiter),
      MAIN_CLASS,
      '-port',
      String(port),
      // Otherwise it allows pages of every origin to call it.
      '-cors',
      'http://127.0.0.1',
      '-sharedDb',
      '-disableTelemetry',
      ...(folder ? ['-dbPath', folder] : ['-inMemory']),
    ],
    { label: 'dynamodb', cwd: emulator, essential: true },
  );
  let failed = false;
  java.once('error', () => {
    failed = true;
  });
  const url = `http://127.0.0.1:${port}`;
  await waitUntilUp(
    () => call(url, 'dynamodb', 'ListTables', {}),
    () => {
      if (failed || java.exitCode !== null || java.signalCode !== null) throw new UserError(describeJavaProblem());
    },
  );
  if (await isReachableFromOutside(port)) {
    throw new UserError(
      'The local database (DynamoDB Local) would be reachable from other machines. Nothing was started.',
    );
  }
  return url;
}

const asObject = (value: JsonObject[string] | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};

/** Returns CreateTable's input for a table of the template, of either resource type. */
function tableInput({ name, properties }: Resource): JsonObject {
  const input: JsonObject = { TableName: name, BillingMode: 'PAY_PER_REQUEST' };
  for (const property of TABLE_PROPERTIES) {
    const value = properties[property];
    if (value !== undefined) input[property] = value;
  }
  if (input.BillingMode !== 'PAY_PER_REQUEST') input.BillingMode = 'PAY_PER_REQUEST';
  for (const index of Array.isArray(input.GlobalSecondaryIndexes) ? input.GlobalSecondaryIndexes : []) {
    const settings = asObject(index);
    // Removes capacity settings, which have no effect here and which CreateTable only partly accepts.
    for (const key of Object.keys(settings)) {
      if (!['IndexName', 'KeySchema', 'Projection'].includes(key)) delete settings[key];
    }
  }
  const view = asObject(properties.StreamSpecification).StreamViewType;
  if (view !== undefined) input.StreamSpecification = { StreamEnabled: true, StreamViewType: view };
  return input;
}

/**
 * Creates the template's missing tables with their indexes, stream and time to live. A table of an earlier version of the
 * platform gets the indexes that it lacks.
 */
export async function createTables(url: string, template: Template): Promise<void> {
  const tables = [...template.resources('AWS::DynamoDB::Table'), ...template.resources('AWS::DynamoDB::GlobalTable')];
  await Promise.all(
    tables.map(async (table) => {
      try {
        await call(url, 'dynamodb', 'CreateTable', tableInput(table));
      } catch (error) {
        if (!(error instanceof WireError) || error.name !== 'ResourceInUseException') throw error;
        await updateIndexes(url, tableInput(table));
        return;
      }
      const { AttributeName, Enabled } = asObject(table.properties.TimeToLiveSpecification);
      if (AttributeName && Enabled !== false) {
        await call(url, 'dynamodb', 'UpdateTimeToLive', {
          TableName: table.name,
          TimeToLiveSpecification: { AttributeName, Enabled: true },
        });
      }
    }),
  );
}
