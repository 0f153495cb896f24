import { type CallMetrics, readMetricData } from '../metric-data.ts';
import { LIVE_ALIAS } from './resources.ts';

/** Metrics of applications, which Lambda sends to Amazon CloudWatch. */

/** Traffic of an application in one period. */
export interface MetricPoint {
  at: Date;
  requests: number;
  clientErrors: number;
  serverErrors: number;
  /** Requests that were refused because the application was at its limit of concurrent requests. */
  throttled: number;
  /** Percentiles of the duration in milliseconds; undefined if there was no request. */
  p50: number | undefined;
  p95: number | undefined;
  p99: number | undefined;
  /** Maximum number of concurrent requests. */
  concurrency: number;
  /** Sum of all durations in milliseconds. */
  durationMs: number;
}

/** A span of whole periods. */
export interface Periods {
  /** A multiple of the period. */
  from: Date;
  periodS: number;
  periods: number;
}

export interface AppMetrics {
  /** Returns a point for each period, oldest first. Throws {@link MetricsThrottled}. */
  read(applicationId: string, span: Periods): Promise<MetricPoint[]>;
}

/** CloudWatch or Logs Insights throttled a read. */
export class MetricsThrottled extends Error {
  override readonly name = 'MetricsThrottled';
}

type Field = Exclude<keyof MetricPoint, 'at'>;

/**
 * The metric and statistic of each field. All but the concurrency are those of the alias that visitors reach, so that health checks of
 * releases do not count. The concurrency exists only for the whole function
 * (https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html, https://docs.aws.amazon.com/lambda/latest/dg/urls-monitoring.html).
 */
const QUERIES: Readonly<Record<Field, readonly [metric: string, statistic: string]>> = {
  requests: ['UrlRequestCount', 'Sum'],
  clientErrors: ['Url4xxCount', 'Sum'],
  serverErrors: ['Url5xxCount', 'Sum'],
  throttled: ['Throttles', 'Sum'],
  p50: ['Duration', 'p50'],
  p95: ['Duration', 'p95'],
  p99: ['Duration', 'p99'],
  concurrency: ['ConcurrentExecutions', 'Maximum'],
  durationMs: ['Duration', 'Sum'],
};
const FIELDS = Object.keys(QUERIES) as Field[];

const isThrottled = (error: unknown) => error instanceof Error && /^Throttling/.test(error.name);

/** @param prefix of the functions' names */
export function createAppMetrics(call: CallMetrics, prefix: string): AppMetrics {
  const queryOf = (field: Field, FunctionName: string, Period: number) => {
    const [MetricName, Stat] = QUERIES[field];
    const Dimensions = [{ Name: 'FunctionName', Value: FunctionName }];
    if (field !== 'concurrency') Dimensions.push({ Name: 'Resource', Value: `${FunctionName}:${LIVE_ALIAS}` });
    return { Id: field, MetricStat: { Metric: { Namespace: 'AWS/Lambda', MetricName, Dimensions }, Period, Stat } };
  };

  return {
    async read(applicationId, { from, periodS, periods }) {
      const StartTime = from.getTime() / 1000;
      const input = {
        MetricDataQueries: FIELDS.map((field) => queryOf(field, prefix + applicationId, periodS)),
        StartTime,
        EndTime: StartTime + periodS * periods,
        ScanBy: 'TimestampAscending',
      };
      const found = await readMetricData(call, input).catch((cause: unknown) => {
        if (!isThrottled(cause)) throw cause;
        throw new MetricsThrottled('CloudWatch throttled a read', { cause });
      });
      const values = new Map(
        [...found].flatMap(([id, points]) => points.map(({ at, value }) => [`${id} ${at}`, value] as const)),
      );
      return Array.from({ length: periods }, (_, index) => {
        const at = StartTime + index * periodS;
        const value = (field: Field) => values.get(`${field} ${at}`);
        const count = (field: Field) => value(field) ?? 0;
        return {
          at: new Date(at * 1000),
          requests: count('requests'),
          clientErrors: count('clientErrors'),
          serverErrors: count('serverErrors'),
          throttled: count('throttled'),
          concurrency: count('concurrency'),
          durationMs: count('durationMs'),
          p50: value('p50'),
          p95: value('p95'),
          p99: value('p99'),
        };
      });
    },
  };
}
