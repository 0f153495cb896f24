import {
  Alarm as CloudWatchAlarm,
  ComparisonOperator,
  type IAlarmAction,
  type IMetric,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';

/** A CloudWatch alarm on a condition that must not occur. */
export interface Alarm {
  /** The alarm's name after the prefix. */
  name: string;
  metric: IMetric;
  /** Threshold: the alarm goes off above this value, or below it for a heartbeat. */
  threshold: number;
  /** True for what must happen all the time: the alarm goes off below the threshold, and where there is no data. */
  isHeartbeat?: true;
  /** Number of consecutive periods beyond the threshold. Default: 1. */
  periods?: number;
  /** The condition in one sentence, as the operator reads it. */
  description: string;
  /** Anchor of the section in docs/runbook.md that describes the response. */
  runbookAnchor: RunbookAnchor;
}

type RunbookAnchor =
  | 'function-errors'
  | 'concurrency'
  | 'schedules-silent'
  | 'builds-waiting'
  | 'edge'
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
  | 'hosting-servers'
  | 'card-disputes';

/** Namespace of the metrics that functions write into their logs (runtime/observability/log.ts). */
export const METRIC_NAMESPACE = 'HostingPlatform';

const FIVE_MINUTES = Duration.minutes(5);
export const sum = (namespace: string, metricName: string, dimensionsMap: Record<string, string>): Metric =>
  new Metric({ namespace, metricName, dimensionsMap, statistic: Stats.SUM, period: FIVE_MINUTES });
export const maximum = (namespace: string, metricName: string, dimensionsMap: Record<string, string>): Metric =>
  new Metric({ namespace, metricName, dimensionsMap, statistic: Stats.MAXIMUM, period: FIVE_MINUTES });

/** Returns the sum of metrics of which some may have no data. Each of them counts towards the bill of its alarm. */
export const total = (...metrics: Metric[]): MathExpression =>
  new MathExpression({
    expression: metrics.map((_, index) => `FILL(m${index},0)`).join('+'),
    usingMetrics: Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric])),
    period: FIVE_MINUTES,
  });

/** Creates an alarm that names its page of the runbook. */
export function createAlarm(scope: Construct, prefix: string, alarm: Alarm, action: IAlarmAction): void {
  const { name, metric, threshold, periods = 1, description, runbookAnchor, isHeartbeat } = alarm;
  new CloudWatchAlarm(scope, `Alarm-${name}`, {
    alarmName: `${prefix}-${name}`,
    alarmDescription: `${description} See docs/runbook.md#${runbookAnchor}`,
    metric,
    threshold,
    evaluationPeriods: periods,
    comparisonOperator: isHeartbeat
      ? ComparisonOperator.LESS_THAN_THRESHOLD
      : ComparisonOperator.GREATER_THAN_THRESHOLD,
    treatMissingData: isHeartbeat ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
  }).addAlarmAction(action);
}
