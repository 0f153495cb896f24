import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createAppLogs } from '../../../providers/app-host/logs.ts';
import { callAws } from '../../../runtime/aws/client.ts';
import { openAppLog } from '../lambda/app-log.ts';
import { STRICT_TIMES } from '../strict.ts';
import type { Emulator } from '../wire.ts';
import { startCloudWatchLogs } from './cloudwatch-logs.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'logs-'));
let logs: Emulator;
const start = async () => {
  logs = await startCloudWatchLogs({ dataDir });
};
beforeAll(start);
afterAll(async () => {
  await logs.stop();
  rmSync(dataDir, { recursive: true });
});

interface Answer {
  events: { timestamp: number; eventId: string; message: string }[];
  nextToken?: string;
}

/** Calls the service with its wire protocol, JSON 1.1. */
async function call(operation: string, input: object) {
  const answer = await fetch(logs.url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `Logs_20140328.${operation}` },
    body: JSON.stringify(input),
  });
  expect(answer.headers.get('content-type')).toBe('application/x-amz-json-1.1');
  return { status: answer.status, body: (await answer.json()) as Answer };
}
const refusal = (name: string) => ({ status: 400, body: expect.objectContaining({ __type: name }) });
const logGroupName = '/aws/lambda/app-1';

function print(...lines: [time: number, text: string][]): void {
  const clock = { now: 0 };
  const log = openAppLog(dataDir, 'app-1', '1', () => clock.now);
  const out = log.stream();
  for (const [time, text] of lines) {
    clock.now = time;
    out(`${text}\n`);
  }
  log.end();
}

test('creates a group once and keeps it over a restart', async () => {
  expect(await call('FilterLogEvents', { logGroupName })).toEqual(refusal('ResourceNotFoundException'));
  expect(await call('PutRetentionPolicy', { logGroupName, retentionInDays: 30 })).toEqual(
    refusal('ResourceNotFoundException'),
  );
  expect(await call('CreateLogGroup', { logGroupName })).toEqual({ status: 200, body: {} });
  expect(await call('CreateLogGroup', { logGroupName })).toEqual(refusal('ResourceAlreadyExistsException'));
  expect(await call('PutRetentionPolicy', { logGroupName, retentionInDays: 30 })).toEqual({ status: 200, body: {} });
  await logs.stop();
  await start();
  expect(await call('FilterLogEvents', { logGroupName })).toMatchObject({ status: 200, body: { events: [] } });
});

test('returns lines from a start time page by page, each once and in order', async () => {
  print([1000, 'one'], [2000, 'two'], [2000, 'three'], [3000, 'four']);
  const messagesOf = ({ body }: Awaited<ReturnType<typeof call>>) => body.events.map(({ message }) => message);
  expect(messagesOf(await call('FilterLogEvents', { logGroupName }))).toEqual(['one', 'two', 'three', 'four']);
  const first = await call('FilterLogEvents', { logGroupName, startTime: 2000, limit: 2 });
  expect(messagesOf(first)).toEqual(['two', 'three']);
  const { nextToken } = first.body;
  const second = await call('FilterLogEvents', { logGroupName, startTime: 2000, limit: 2, nextToken });
  expect(messagesOf(second)).toEqual(['four']);
  expect(second.body).not.toHaveProperty('nextToken');
  expect(messagesOf(await call('FilterLogEvents', { logGroupName, endTime: 1999 }))).toEqual(['one']);
  const ids = first.body.events.map(({ timestamp, eventId }) => [timestamp, eventId]);
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids.map(String)).size).toBe(2);
});

test('returns the lines of one stream, named by day and version', async () => {
  const messages = async (logStreamNamePrefix: string) =>
    (await call('FilterLogEvents', { logGroupName, logStreamNamePrefix })).body.events.map(({ message }) => message);
  expect(await messages('1970/01/01/[1]')).toEqual(['one', 'two', 'three', 'four']);
  expect(await messages('1970/01/01/[2]')).toEqual([]);
});

test('refuses an excessive limit, an invalid name and an unknown operation as the service does', async () => {
  for (const input of [{ logGroupName, limit: 10_001 }, { logGroupName: 'no name' }, {}]) {
    expect((await call('FilterLogEvents', input)).status).toBe(400);
  }
  expect((await call('StartQuery', { logGroupName })).status).toBe(400);
});

test('deletes the lines of a deleted group', async () => {
  expect(await call('DeleteLogGroup', { logGroupName })).toEqual({ status: 200, body: {} });
  expect(await call('DeleteLogGroup', { logGroupName })).toEqual(refusal('ResourceNotFoundException'));
  await call('CreateLogGroup', { logGroupName });
  expect((await call('FilterLogEvents', { logGroupName })).body.events).toEqual([]);
});

test('a strict run refuses a change of a group during another one, and the platform’s provider repeats it', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'logs-strict-'));
  const strict = await startCloudWatchLogs({ dataDir: directory, strict: true });
  vi.stubEnv('AWS_ENDPOINT_URL_LOGS', strict.url);
  vi.stubEnv('AWS_REGION', 'af-south-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  const refused: string[] = [];
  // A change ends where the test says so, however slow the machine is.
  vi.useFakeTimers({ toFake: ['Date'] });
  const callTwice = async <Output>(
    operation: string,
    input: object,
    options?: { attempts: number },
  ): Promise<Output> => {
    try {
      return await callAws<Output>('logs', operation, input, { attempts: 1 });
    } catch (error) {
      refused.push(`${operation}: ${error instanceof Error ? error.name : ''}`);
      vi.setSystemTime(Date.now() + STRICT_TIMES.logGroupChange);
      return await callAws<Output>('logs', operation, input, options);
    }
  };
  const app = createAppLogs(callTwice, 'app-', 'arn:aws:lambda:af-south-1:000000000000:function:app-');
  await app.prepare('1');
  expect(refused).toContain('PutRetentionPolicy: OperationAbortedException');
  await app.prepare('1');
  await app.remove('1');
  vi.useRealTimers();
  await strict.stop();
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true });
});
