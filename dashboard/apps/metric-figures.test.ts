import { expect, test } from 'vitest';
import { formatCount, formatMs, formatShare, highest, toCharts, toStartCharts } from './metric-figures.ts';

test('figures are short and keep the digits that matter', () => {
  expect([0, 12, 9999, 12_345, 3_400_000].map(formatCount)).toEqual(['0', '12', '9999', '12.3k', '3.4M']);
  expect([3.2, 999, 1340].map(formatMs)).toEqual(['3 ms', '999 ms', '1.3 s']);
  expect([formatShare(0, 10), formatShare(1, 300), formatShare(1, 2), formatShare(0, 0)]).toEqual([
    '0%',
    '0.33%',
    '50%',
    '–',
  ]);
  expect([highest([null, 2, 1]), highest([null])]).toEqual([2, undefined]);
});

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
