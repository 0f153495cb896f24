import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAppLogs } from '../../../providers/app-host/logs.ts';
import { createAppMetrics } from '../../../providers/app-host/metrics.ts';
import { createAppRequests } from '../../../providers/app-host/requests.ts';
import { createAppStarts } from '../../../providers/app-host/starts.ts';
import { startCloudWatchLogs } from '../cloudwatch-logs/cloudwatch-logs.ts';
import { openAppLog } from '../lambda/app-log.ts';
import { type AppRequest, openAppRequests } from '../lambda/app-requests.ts';
import type { Emulator } from '../wire.ts';
import { startCloudWatch } from './cloudwatch.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'metrics-'));
const from = new Date('2026-01-31T09:00:00Z');
const span = { from, periodS: 60, periods: 3 };
let metrics: Emulator;
let logs: Emulator;
beforeAll(async () => {
  metrics = await startCloudWatch({ dataDir });
  logs = await startCloudWatchLogs({ dataDir });
});
afterAll(async () => {
  await metrics.stop();
  await logs.stop();
  rmSync(dataDir, { recursive: true });
});

/** Calls a service with its wire protocol. */
const caller =
  (url: () => string, target: string, version: string) =>
  async <Output>(operation: string, input: object): Promise<Output> => {
    const headers = { 'content-type': `application/x-amz-json-${version}`, 'x-amz-target': `${target}.${operation}` };
    const answer = await fetch(url(), { method: 'POST', headers, body: JSON.stringify(input) });
    const body = (await answer.json()) as Output & { __type?: string };
    if (answer.status !== 200) throw Object.assign(new Error(body.__type), { name: body.__type });
    return body;
  };
const callMetrics = caller(() => metrics.url, 'GraniteServiceVersion20100801', '1.0');
const callLogs = caller(() => logs.url, 'Logs_20140328', '1.1');

const request = (second: number, fields: Partial<AppRequest> = {}): AppRequest => ({
  at: from.getTime() + second * 1000,
  status: 200,
  durationMs: 10,
  concurrent: 1,
  initMs: 0,
  memoryMb: 50,
  throttled: false,
  ...fields,
});

test('requests become Lambda’s metrics, period by period, and its reports', async () => {
  await callLogs('CreateLogGroup', { logGroupName: '/aws/lambda/app-1' });
  const requests = openAppRequests(dataDir);
  const recorded = [
    request(-1, { status: 500 }),
    request(0, { initMs: 700, memoryMb: 80 }),
    request(1, { status: 404, durationMs: 30, concurrent: 2 }),
    request(59, { status: 503, durationMs: 20 }),
    request(120, { initMs: 900, durationMs: 100 }),
    request(121, { status: 429, throttled: true, durationMs: 0, concurrent: 0, memoryMb: 0 }),
    request(180, { status: 500 }),
  ];
  for (const each of recorded) requests.record('app-1', each);
  requests.close();

  const points = await createAppMetrics(callMetrics, 'app-').read('1', span);
  expect(points.map(({ at }) => (at.getTime() - from.getTime()) / 1000)).toEqual([0, 60, 120]);
  expect(points[0]).toMatchObject({ requests: 3, clientErrors: 1, serverErrors: 1, concurrency: 2, durationMs: 60 });
  expect(points[0]).toMatchObject({ p50: 20, p95: 29, throttled: 0 });
  expect(points[1]).toMatchObject({ requests: 0, p50: undefined, concurrency: 0, durationMs: 0 });
  expect(points[2]).toMatchObject({ requests: 2, clientErrors: 1, throttled: 1, p50: 100, durationMs: 100 });

  expect(await createAppStarts(callLogs, 'app-').read('1', span)).toEqual([
    { at: from, starts: 1, slowestMs: 700, memoryMb: 80 },
    { at: new Date(from.getTime() + 120_000), starts: 1, slowestMs: 900, memoryMb: 50 },
  ]);
});

test('a load test of many thousand requests has reports, and a period without a start too', async () => {
  await callLogs('CreateLogGroup', { logGroupName: '/aws/lambda/app-3' });
  const requests = openAppRequests(dataDir);
  for (let count = 0; count < 150_000; count += 1)
    requests.record('app-3', request(0, { initMs: count === 0 ? 700 : 0 }));
  requests.record('app-3', request(60));
  requests.close();
  expect(await createAppStarts(callLogs, 'app-').read('3', span)).toEqual([
    { at: from, starts: 1, slowestMs: 700, memoryMb: 50 },
    { at: new Date(from.getTime() + 60_000), starts: 0, slowestMs: undefined, memoryMb: 50 },
  ]);
});

test('lines of requests are found newest first, and are no lines of the application', async () => {
  await callLogs('CreateLogGroup', { logGroupName: '/aws/lambda/app-2' });
  const clock = { now: from.getTime() };
  const log = openAppLog(dataDir, 'app-2', '1', () => clock.now);
  const print = log.stream();
  const line = (path: string) => JSON.stringify({ method: 'GET', path, status: 200, ms: 1.5, bytes: 120 });
  for (const text of [`REQUEST ${line('/one')}`, 'REQUEST of the application', `REQUEST ${line('/two')}`]) {
    clock.now += 1000;
    print(`${text}\n`);
  }
  log.end();
  const found = await createAppRequests(callLogs, 'app-').read('2', { from, to: new Date(clock.now + 1000) });
  expect(found.map(({ path, at }) => [path, at.getTime() - from.getTime()])).toEqual([
    ['/two', 3000],
    ['/one', 1000],
  ]);
  const later = { from: new Date(clock.now + 1000), to: new Date(clock.now + 2000) };
  expect(await createAppRequests(callLogs, 'app-').read('2', later)).toEqual([]);
  const logs = createAppLogs(callLogs, 'app-', 'arn:');
  const { lines } = await logs.read('2', { after: undefined, since: from, limit: 10 });
  expect(lines.map(({ text }) => text)).toEqual(['REQUEST of the application']);
});

test('an application that never ran has no requests and no starts', async () => {
  const points = await createAppMetrics(callMetrics, 'app-').read('none', span);
  expect(points.map(({ requests, p99 }) => [requests, p99])).toEqual(Array(3).fill([0, undefined]));
  expect(await createAppStarts(callLogs, 'app-').read('none', span)).toEqual([]);
  expect(await createAppRequests(callLogs, 'app-').read('none', { from, to: new Date() })).toEqual([]);
});

test('what CloudWatch refuses is refused', async () => {
  const query = (Period: number, Stat = 'Sum') => ({
    Id: 'a',
    MetricStat: { Metric: { Namespace: 'AWS/Lambda', MetricName: 'Duration', Dimensions: [] }, Period, Stat },
  });
  const read = (MetricDataQueries: object[], StartTime = 0, EndTime = 600) =>
    callMetrics('GetMetricData', { MetricDataQueries, StartTime, EndTime });
  await expect(read([query(60)], 600, 600)).rejects.toMatchObject({ name: 'ValidationError' });
  await expect(read([query(60), query(60)])).rejects.toMatchObject({ name: 'ValidationError' });
  await expect(read([query(90)])).rejects.toMatchObject({ name: 'ValidationException' });
  await expect(read([query(60, 'Median')])).rejects.toMatchObject({ name: 'ValidationException' });
  await expect(read([query(60)], 0, 60 * 100_801)).rejects.toMatchObject({ name: 'ValidationError' });
  const log = { logGroupName: '/aws/lambda/app-1', startTime: 0, endTime: 1, queryString: 'fields @message' };
  await expect(callLogs('StartQuery', log)).rejects.toMatchObject({ name: 'MalformedQueryException' });
  await expect(callLogs('GetQueryResults', { queryId: 'x' })).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
});
