import { type IMetric, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';

/** One thing that must not happen. */
export interface Watch {
  /** The alarm's name after the prefix. */
  name: string;
  metric: IMetric;
  /** Alarms above this. */
  above: number;
  /** For how many of the metric's periods on end; 1 unless told. */
  periods?: number;
  /** What it means, in a sentence. */
  means: string;
  /** The page that says what to do: an anchor of docs/runbook.md. */
  page: RunbookPage;
}

type RunbookPage =
  | 'function-errors'
  | 'function-throttles'
  | 'failure-queue'
  | 'stream-behind'
  | 'state-machine-failures'
  | 'api-5xx'
  | 'table-throttles'
  | 'provider-key'
  | 'provider-failures'
  | 'ai-books'
  | 'dns-behind'
  | 'domains-refused'
  | 'webhooks-behind'
  | 'webhooks-disabled'
  | 'hosting-servers';

/** Metrics that functions write into their logs (runtime/observability/log.ts). */
export const OWN = 'HostingPlatform';

const FIVE_MINUTES = Duration.minutes(5);
export const sum = (namespace: string, metricName: string, dimensionsMap: Record<string, string>): Metric =>
  new Metric({ namespace, metricName, dimensionsMap, statistic: Stats.SUM, period: FIVE_MINUTES });
export const maximum = (namespace: string, metricName: string, dimensionsMap: Record<string, string>): Metric =>
  new Metric({ namespace, metricName, dimensionsMap, statistic: Stats.MAXIMUM, period: FIVE_MINUTES });
