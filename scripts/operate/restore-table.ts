import { setTimeout as sleep } from 'node:timers/promises';
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ResourceNotFoundException,
  RestoreTableToPointInTimeCommand,
  type TableDescription,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  type UpdateTableCommandInput,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { isAwsError } from '../../providers/aws-errors.ts';

/** Maximum duration of a restore. AWS takes from minutes to hours, depending on the size of the table. */
const MAX_RESTORE_S = 24 * 3600;
const POLL = { minDelay: 1, maxDelay: 30 };

/** Attempts of a change, and the pause between them: AWS takes minutes to prepare the backups of a new table. */
const ATTEMPTS = 60;
const PAUSE_MS = 10_000;
const BUSY = ['ResourceInUseException', 'ContinuousBackupsUnavailableException'];

/** Repeats a change of a table while another change is in progress, or while its backups are being prepared. */
async function whenReady(makeChange: () => Promise<unknown>, pause: (ms: number) => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await makeChange();
      return;
    } catch (error) {
      if (attempt === ATTEMPTS || !isAwsError(error, ...BUSY)) throw error;
      await pause(PAUSE_MS);
    }
  }
}

interface Restore {
  source: string;
  target: string;
  at: Date;
}

/** Returns a table; undefined if it does not exist. */
async function findTable(client: DynamoDBClient, TableName: string): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

/** Throws unless an earlier run with the same source and time created the table. */
function assertSameRestore({ RestoreSummary: summary }: TableDescription, { source, target, at }: Restore): void {
  const isSame =
    summary?.SourceTableArn?.endsWith(`:table/${source}`) &&
    // AWS restores to the second.
    Math.floor(Number(summary.RestoreDateTime) / 1000) === Math.floor(at.getTime() / 1000);
  if (!isSame) throw new Error(`There is a table ${target} already, and it is no restore of ${source} to this time.`);
}

/** Begins a restore. Throws if the table cannot be restored to this time. */
async function startRestore(client: DynamoDBClient, { source, target, at }: Restore): Promise<void> {
  const { ContinuousBackupsDescription } = await client.send(
    new DescribeContinuousBackupsCommand({ TableName: source }),
  );
  const { EarliestRestorableDateTime: earliest, LatestRestorableDateTime: latest } =
    ContinuousBackupsDescription?.PointInTimeRecoveryDescription ?? {};
  if (!earliest || !latest) throw new Error(`The table ${source} has no point-in-time recovery.`);
  if (at < earliest || at > latest)
    throw new Error(`${source} can be restored to a time from ${earliest.toISOString()} to ${latest.toISOString()}.`);
  await client.send(
    new RestoreTableToPointInTimeCommand({
      SourceTableName: source,
      TargetTableName: target,
      RestoreDateTime: at,
    }),
  );
}

/**
 * Restores a table to a point in time into a new table, and sets up the features that a restore omits: stream, time to live, deletion
 * protection and recovery (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/PointInTimeRecovery.Tutorial.html). After a
 * failure, the next run continues with the same table.
 * @param pause waits for a number of milliseconds
 * @returns the ARN of the new table's stream
 */
export async function restoreTable(
  client: DynamoDBClient,
  restore: Restore,
  pause: (ms: number) => Promise<unknown> = sleep,
): Promise<string> {
  const { source, target } = restore;
  const found = await findTable(client, target);
  if (found) assertSameRestore(found, restore);
  else await startRestore(client, restore);
  console.error(`Restoring ${source} into ${target}, which takes from minutes to hours.`);
  const waitUntilActive = () =>
    waitUntilTableExists({ client, maxWaitTime: MAX_RESTORE_S, ...POLL }, { TableName: target });
  const update = async (change: Partial<UpdateTableCommandInput>) => {
    await whenReady(() => client.send(new UpdateTableCommand({ TableName: target, ...change })), pause);
    await waitUntilActive();
  };
  await waitUntilActive();
  const restored = await findTable(client, target);
  if (!restored?.StreamSpecification?.StreamEnabled)
    await update({ StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } });
  // AWS requires separate requests for the stream and the deletion protection.
  if (!restored?.DeletionProtectionEnabled && (await findTable(client, source))?.DeletionProtectionEnabled)
    await update({ DeletionProtectionEnabled: true });
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: target }));
  const tableName = { TableName: target };
  if (!/^ENABL/.test(TimeToLiveDescription?.TimeToLiveStatus ?? '')) {
    const TimeToLiveSpecification = { AttributeName: 'expiresAtEpoch', Enabled: true };
    await whenReady(() => client.send(new UpdateTimeToLiveCommand({ ...tableName, TimeToLiveSpecification })), pause);
  }
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
  const enableRecovery = new UpdateContinuousBackupsCommand({ ...tableName, PointInTimeRecoverySpecification });
  await whenReady(() => client.send(enableRecovery), pause);
  const stream = (await findTable(client, target))?.LatestStreamArn;
  if (!stream) throw new Error(`The table ${target} has no stream.`);
  return stream;
}
