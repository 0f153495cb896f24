import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { restoreTable } from './restore-table.ts';

const STREAM = 'arn:aws:dynamodb:af-south-1:000000000000:table/restored/stream/1';

/**
 * A DynamoDB with a restored table, which refuses changes as AWS does: in order, by the operation that is refused.
 * @returns the operations that were asked for
 */
function refusing(refusals: [operation: string, name: string][]) {
  const at = new Date('2026-11-26T12:00:00Z');
  const asked: string[] = [];
  const Table = {
    TableStatus: 'ACTIVE',
    LatestStreamArn: STREAM,
    DeletionProtectionEnabled: false,
    RestoreSummary: { SourceTableArn: 'arn:aws:dynamodb:af-south-1:000000000000:table/live', RestoreDateTime: at },
  };
  const send = async ({
    constructor: { name },
    input,
  }: {
    constructor: { name: string };
    input: { TableName?: string };
  }) => {
    asked.push(name);
    const [next] = refusals;
    if (next?.[0] === name) {
      refusals.shift();
      throw Object.assign(new Error(next[1]), { name: next[1] });
    }
    return { Table: { ...Table, DeletionProtectionEnabled: input.TableName === 'live' } };
  };
  const client = { send, config: {} } as unknown as DynamoDBClient;
  const pauses: number[] = [];
  const run = () => restoreTable(client, { source: 'live', target: 'restored', at }, async (ms) => pauses.push(ms));
  return { asked, pauses, run };
}

test('a restored table that is busy, or whose backups AWS still prepares, gets its settings a little later', async () => {
  const { asked, pauses, run } = refusing([
    ['UpdateTableCommand', 'ResourceInUseException'],
    ['UpdateTimeToLiveCommand', 'ResourceInUseException'],
    ['UpdateContinuousBackupsCommand', 'ContinuousBackupsUnavailableException'],
    ['UpdateContinuousBackupsCommand', 'ContinuousBackupsUnavailableException'],
  ]);
  expect(await run()).toBe(STREAM);
  expect(pauses).toHaveLength(4);
  expect(asked.filter((name) => name.startsWith('Update'))).toEqual([
    'UpdateTableCommand',
    'UpdateTableCommand',
    'UpdateTableCommand',
    'UpdateTimeToLiveCommand',
    'UpdateTimeToLiveCommand',
    'UpdateContinuousBackupsCommand',
    'UpdateContinuousBackupsCommand',
    'UpdateContinuousBackupsCommand',
  ]);
});

test('what AWS refuses for another reason is not repeated', async () => {
  const { pauses, run } = refusing([['UpdateTimeToLiveCommand', 'ValidationException']]);
  await expect(run()).rejects.toThrow('ValidationException');
  expect(pauses).toEqual([]);
});
