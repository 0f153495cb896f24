import * as z from 'zod';
import { perAccount } from '../accounts.ts';
import { type AppRequest, readAppRequests } from '../lambda/app-requests.ts';
import { createThrottle } from '../strict.ts';
import {
  type Emulator,
  type EmulatorOptions,
  jsonOperations,
  parse,
  type RequestHandler,
  ServiceError,
  serve,
} from '../wire.ts';

/** Limits of a request (https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html). */
const MAX_QUERIES = 500;
const MAX_DATAPOINTS = 100_800;

const Dimensions = z.array(z.object({ Name: z.string(), Value: z.string() })).max(30);
const Query = z.object({
  Id: z.string().regex(/^[a-z][a-zA-Z0-9_]*$/),
  MetricStat: z.object({
    Metric: z.object({ Namespace: z.string(), MetricName: z.string(), Dimensions: Dimensions.default([]) }),
    Period: z.number().int().min(60).multipleOf(60),
    Stat: z.string().regex(/^(Sum|Maximum|Minimum|Average|SampleCount|p\d{1,2}(\.\d+)?)$/),
  }),
  Label: z.string().optional(),
});
type Query = z.output<typeof Query>;

/** Times are seconds since the epoch in this protocol. */
const GetMetricData = z.object({
  MetricDataQueries: z.array(Query).min(1).max(MAX_QUERIES),
  StartTime: z.number(),
  EndTime: z.number(),
  ScanBy: z.enum(['TimestampAscending', 'TimestampDescending']).default('TimestampDescending'),
});

const unlessThrottled = (value: (request: AppRequest) => number) => (request: AppRequest) =>
  request.throttled ? undefined : value(request);
/** Returns 1 if a status belongs to a class (4 for 4xx), otherwise 0. */
const countOfClass = (status: number, statusClass: number) => Number(Math.floor(status / 100) === statusClass);

/**
 * Lambda's metrics of functions and function URLs. Each function returns the sample that a request contributes, if any
 * (https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html,
 * https://docs.aws.amazon.com/lambda/latest/dg/urls-monitoring.html).
 */
const METRICS: Readonly<Record<string, (request: AppRequest) => number | undefined>> = {
  UrlRequestCount: () => 1,
  Url4xxCount: ({ status }) => countOfClass(status, 4),
  Url5xxCount: ({ status }) => countOfClass(status, 5),
  Invocations: unlessThrottled(() => 1),
  Duration: unlessThrottled(({ durationMs }) => durationMs),
  Throttles: ({ throttled }) => Number(throttled),
  ConcurrentExecutions: unlessThrottled(({ concurrent }) => concurrent),
};

/**
 * Returns a percentile of sorted samples, interpolated linearly.
 * @param fraction between 0 and 1
 */
function percentile(sorted: readonly number[], fraction: number): number {
  const rank = fraction * (sorted.length - 1);
  const [low = 0, high = low] = [sorted[Math.floor(rank)], sorted[Math.ceil(rank)]];
  return low + (high - low) * (rank - Math.floor(rank));
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

function statistic(stat: string, samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b);
  if (stat === 'Sum') return sum(sorted);
  if (stat === 'SampleCount') return sorted.length;
  if (stat === 'Average') return sum(sorted) / sorted.length;
  if (stat === 'Maximum') return sorted.at(-1) ?? 0;
  if (stat === 'Minimum') return sorted[0] ?? 0;
  return percentile(sorted, Number(stat.slice(1)) / 100);
}

/** Returns the name of the function that the dimensions select, with or without its alias; undefined for other dimensions. */
function functionIn({ Namespace, Dimensions }: Query['MetricStat']['Metric']): string | undefined {
  const named = Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, Value]));
  const known = Dimensions.every(({ Name }) => Name === 'FunctionName' || Name === 'Resource');
  const { FunctionName, Resource = `${FunctionName}:live` } = named;
  // The emulator records only requests to function URLs, which invoke the alias `live`.
  const isLive = FunctionName !== undefined && Resource === `${FunctionName}:live`;
  return Namespace === 'AWS/Lambda' && known && isLive ? FunctionName : undefined;
}

/** A value of a metric with its time in seconds. */
interface Sample {
  at: number;
  value: number;
}

/** The metrics of Aurora DSQL clusters. */
interface ClusterMetrics {
  /** Returns the storage of a cluster in bytes; undefined before its first measurement. */
  storageOf(clusterId: string): Promise<number | undefined>;
  /** Returns the DPUs (distributed processing units) that a cluster used. */
  unitsOf(clusterId: string): readonly Sample[];
}

interface CloudWatchOptions extends EmulatorOptions {
  clusters?: ClusterMetrics | undefined;
}

/** Returns the samples of a cluster's metric; none for other metrics, or unless the only dimension is a cluster. */
async function clusterSamples(
  { Namespace, MetricName, Dimensions }: Query['MetricStat']['Metric'],
  clusters: ClusterMetrics | undefined,
  now: number,
): Promise<readonly Sample[]> {
  const [dimension, ...others] = Dimensions;
  if (!clusters || Namespace !== 'AWS/AuroraDSQL' || dimension?.Name !== 'ClusterId' || others.length > 0) return [];
  if (MetricName === 'TotalDPU') return clusters.unitsOf(dimension.Value);
  const storage = MetricName === 'ClusterStorageSize' ? await clusters.storageOf(dimension.Value) : undefined;
  return storage === undefined ? [] : [{ at: now, value: storage }];
}

/**
 * Starts an emulator of Amazon CloudWatch with `GetMetricData`. The metrics of hosted applications' functions come from the requests that
 * the Lambda emulator records. The storage of databases is always their current one. As in CloudWatch, only periods with samples have a
 * value.
 */
export function startCloudWatch({ port, clusters, ...options }: CloudWatchOptions): Promise<Emulator> {
  const metrics = perAccount(options, (_, directory) => openMetrics(directory, options.strict, clusters));
  return serve(port, 'application/x-amz-json-1.0', (request) => metrics.of(request)(request));
}

/** Opens the metrics of one account. */
function openMetrics(
  dataDir: string,
  strict: boolean | undefined,
  clusters: CloudWatchOptions['clusters'],
): RequestHandler {
  const throttle = createThrottle(strict, () => new ServiceError('Throttling', 'Rate exceeded'));

  const evaluate = async (query: Query, from: number, to: number, ascending: boolean) => {
    const { Metric, Period, Stat } = query.MetricStat;
    const name = functionIn(Metric);
    const sampleOf = METRICS[Metric.MetricName];
    const periods = new Map<number, number[]>();
    if (name && sampleOf) {
      for (const request of readAppRequests(dataDir, name, from * 1000, to * 1000)) {
        const sample = sampleOf(request);
        if (sample === undefined) continue;
        const start = Math.floor(request.at / 1000 / Period) * Period;
        periods.set(start, [...(periods.get(start) ?? []), sample]);
      }
    }
    // One second before the end, so that the sample falls within the last period.
    for (const { at, value } of await clusterSamples(Metric, clusters, Math.min(to, Date.now() / 1000) - 1)) {
      const start = Math.floor(at / Period) * Period;
      if (start + Period > from && at < to) periods.set(start, [...(periods.get(start) ?? []), value]);
    }
    const points = [...periods].sort(([a], [b]) => (ascending ? a - b : b - a));
    return {
      Id: query.Id,
      Label: query.Label ?? Metric.MetricName,
      StatusCode: 'Complete',
      Timestamps: points.map(([start]) => start),
      Values: points.map(([, samples]) => statistic(Stat, samples)),
    };
  };

  return jsonOperations({
    async GetMetricData(body) {
      throttle('metricDataRate');
      const { MetricDataQueries, StartTime, EndTime, ScanBy } = parse(GetMetricData, body);
      const invalid = (message: string) => new ServiceError('ValidationError', message);
      if (StartTime >= EndTime) throw invalid('The parameter StartTime must be less than the parameter EndTime.');
      const points = MetricDataQueries.map(({ MetricStat }) => (EndTime - StartTime) / MetricStat.Period);
      if (sum(points) > MAX_DATAPOINTS) throw invalid(`The request exceeds ${MAX_DATAPOINTS} data points.`);
      const ids = new Set(MetricDataQueries.map(({ Id }) => Id));
      if (ids.size < MetricDataQueries.length) throw invalid('The values for parameter id must be unique.');
      const ascending = ScanBy === 'TimestampAscending';
      return {
        MetricDataResults: await Promise.all(
          MetricDataQueries.map((query) => evaluate(query, StartTime, EndTime, ascending)),
        ),
        Messages: [],
      };
    },
  });
}
