import { type IMetric, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';

/** A CloudWatch alarm on a condition that must not occur. */
export interface Alarm {
  /** The alarm's name after the prefix. */
  name: string;
  metric: IMetric;
  /** Threshold: the alarm goes off above this value. */
  threshold: number;
  /** Number of consecutive periods above the threshold. Default: 1. */
  periods?: number;
  /** The condition in one sentence, as the operator reads it. */
  description: string;
  /** Anchor of the section in docs/runbook.md that describes the response. */
  runbookAnchor: RunbookAnchor;
}

type RunbookAnchor =
  | 'function-errors'
  | 'function-throttles'
  | 'failure-queue'
  | 'stream-behind'
  | 'due-queues'
  | 'state-machine-failures'
  | 'api-5xx'
  | 'table-throttles'
  | 'provider-key'
  | 'provider-failures'
  | 'ai-ledger'
  | 'dns-behind'
  | 'domains-refused'
  | 'domains-absent'
  | 'webhooks-behind'
  | 'webhooks-disabled'
  | 'hosting-servers'
  | 'card-disputes';

/** Namespace of the metrics that functions write into their logs (runtime/observability/log.ts). */
export const METRIC_NAMESPACE = 'HostingPlatform';

const FIVE_MINUTES = Duration.minutes(5);
export const sum = (namespace: string, metricName: string, dimensionsMap: Record<string, string>): Metric =>
  new Metric({ namespace, metricName, dimensionsMap, statistic: Stats.SUM, period: FIVE_MINUTES });
export const maximum = (namespace: string, metricName: string, dimensionsMap: Record<string, string>): Metric =>
  new Metric({ namespace, metricName, dimensionsMap, statistic: Stats.MAXIMUM, period: FIVE_MINUTES });
