import { expect, test } from 'vitest';
import { createDatabaseMetrics } from './metrics.ts';

interface Request {
  MetricDataQueries: { Id: string; MetricStat: { Metric: { MetricName: string }; Period: number } }[];
  StartTime: number;
  EndTime: number;
  NextToken?: string;
}

/** CloudWatch, which has the same values for every cluster, and pages with one point each. */
function service(points: Record<string, [at: string, value: number][]>, StatusCode = 'Complete') {
  const requests: Request[] = [];
  const call = async <Output>(_: string, input: object) => {
    const request = input as Request;
    requests.push(request);
    const page = Number(request.NextToken ?? 0);
    const MetricDataResults = request.MetricDataQueries.map(({ Id, MetricStat }) => {
      const of = (points[MetricStat.Metric.MetricName] ?? []).slice(page, page + 1);
      return {
        Id,
        StatusCode,
        Timestamps: of.map(([at]) => Date.parse(at) / 1000),
        Values: of.map(([, value]) => value),
      };
    });
    const hasMore = Object.values(points).some(({ length }) => length > page + 1);
    return { MetricDataResults, ...(hasMore ? { NextToken: String(page + 1) } : {}) } as Output;
  };
  return { requests, metrics: createDatabaseMetrics(call) };
}

const NOW = new Date('2026-11-26T22:10:00Z');

test('the usage of a month has the values of all pages and the newest storage, and excludes the previous month', async () => {
  const { metrics, requests } = service({
    ClusterStorageSize: [
      ['2026-11-26T22:00:00Z', 300],
      ['2026-11-26T21:00:00Z', 200],
    ],
    TotalDPU: [
      ['2026-11-26T00:00:00Z', 4],
      ['2026-11-01T00:00:00Z', 0.5],
      ['2026-10-31T00:00:00Z', 1000],
    ],
  });
  const usage = await metrics.readUsage(['one', 'two'], NOW);
  expect(Object.fromEntries(usage)).toEqual({
    one: { units: 4.5, storageBytes: 300 },
    two: { units: 4.5, storageBytes: 300 },
  });
  expect(requests).toHaveLength(3);
  // Periods of a day that begin with the day.
  expect(new Date((requests[0]?.StartTime ?? 0) * 1000).toISOString()).toBe('2026-10-31T00:00:00.000Z');
});

test('a metric that CloudWatch could not read fails the measurement instead of counting as no usage', async () => {
  const { metrics } = service({}, 'InternalError');
  await expect(metrics.readUsage(['one'], NOW)).rejects.toThrow('CloudWatch could not read storage0: InternalError');
});

test('no request exceeds CloudWatch’s limits, and clusters without values have no usage', async () => {
  const { metrics, requests } = service({});
  const ids = Array.from({ length: 250 }, (_, index) => `cluster${index}`);
  const usage = await metrics.readUsage(ids, new Date('2026-12-31T23:59:59.500Z'));
  expect(usage.size).toBe(250);
  expect(usage.get('cluster249')).toEqual({ units: 0, storageBytes: undefined });
  expect(requests).toHaveLength(3);
  for (const { MetricDataQueries, StartTime, EndTime } of requests) {
    expect(MetricDataQueries.length).toBeLessThanOrEqual(500);
    const values = MetricDataQueries.map(({ MetricStat }) => (EndTime - StartTime) / MetricStat.Period);
    expect(values.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(100_800);
  }
  expect(await metrics.readUsage([], NOW)).toEqual(new Map());
});
