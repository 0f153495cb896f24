import { expect, test } from 'vitest';
import { highest, toCharts, toStartCharts } from './metric-charts.ts';

test('parts of a bar lie over the whole: errors include those of the server', () => {
  const point = { requests: 9, clientErrors: 2, serverErrors: 3, throttled: 0, concurrency: 1 };
  const at = '2026-01-31T09:30:00.000Z';
  const charts = toCharts([{ ...point, at, p50Ms: 1, p95Ms: null, p99Ms: null }]);
  expect([charts.requests, charts.errors, charts.serverErrors]).toEqual([[9], [5], [3]]);
  expect(charts.times).toEqual([Date.parse(at) / 1000]);
});

test('periods in which an application did not run have no memory', () => {
  const span = { from: '1970-01-01T00:00:00.000Z', to: '1970-01-01T00:03:00.000Z', periodSeconds: 60 };
  const points = [{ at: '1970-01-01T00:01:00.000Z', starts: 2, slowestStartMs: 700, memoryMb: 80 }];
  expect(toStartCharts({ range: 'hour', memoryLimitMb: 1024, ...span, points })).toEqual({
    times: [0, 60, 120],
    starts: [0, 2, 0],
    slowest: [null, 700, null],
    memory: [null, 80, null],
  });
});

test('the highest value leaves out what is not known', () => {
  expect([highest([null, 2, 1]), highest([null])]).toEqual([2, undefined]);
});
