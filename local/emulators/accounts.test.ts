import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACCOUNT, SECOND_CELL } from '../addresses.ts';
import { startCloudWatchLogs } from './cloudwatch-logs/cloudwatch-logs.ts';
import { openSessions } from './sts/sessions.ts';
import type { Emulator } from './wire.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'accounts-'));
let logs: Emulator;
beforeAll(async () => {
  logs = await startCloudWatchLogs({ dataDir, accounts: [ACCOUNT, SECOND_CELL.account] });
});
afterAll(async () => {
  await logs.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Creates a log group as a role of an account, or as the administrator. Returns the error's name. */
async function create(logGroupName: string, account?: string): Promise<string | undefined> {
  const session = { role: `arn:aws:iam::${account}:role/r`, name: 'r', expiresAt: Number.MAX_SAFE_INTEGER };
  const { accessKeyId, sessionToken } = account
    ? openSessions(dataDir).issue(session)
    : { accessKeyId: 'local', sessionToken: '' };
  const response = await fetch(logs.url, {
    method: 'POST',
    headers: {
      authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/20200101/af-south-1/logs/aws4_request`,
      'x-amz-target': 'Logs_20140328.CreateLogGroup',
      ...(sessionToken ? { 'x-amz-security-token': sessionToken } : {}),
    },
    body: JSON.stringify({ logGroupName }),
  });
  return response.headers.get('x-amzn-errortype') ?? undefined;
}

test('each account has resources of its own behind one port, and the administrator is in the home account', async () => {
  expect(await create('/aws/lambda/a', ACCOUNT)).toBeUndefined();
  expect(await create('/aws/lambda/a', SECOND_CELL.account)).toBeUndefined();
  expect(await create('/aws/lambda/a', SECOND_CELL.account)).toBe('ResourceAlreadyExistsException');
  expect(await create('/aws/lambda/a')).toBe('ResourceAlreadyExistsException');
  expect(await create('/aws/lambda/a', '999999999999')).toBe('UnrecognizedClientException');
});
