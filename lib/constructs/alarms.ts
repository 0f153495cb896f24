import {
  AlarmRule,
  Alarm as CloudWatchAlarm,
  ComparisonOperator,
  CompositeAlarm,
  type IAlarmAction,
  type IMetric,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { Severity } from '../../contract/limits/service-levels.ts';

/** The properties that all kinds of alarms have. */
interface Described {
  /** The alarm's name after the prefix. */
  name: string;
  /** The condition in one sentence, for the operator. */
  description: string;
  /** Anchor of the section in docs/runbook.md that describes the response. A test checks that it exists. */
  runbookAnchor: string;
}

/** A CloudWatch alarm on a condition that must not occur. */
export interface Alarm extends Described {
  /** `page`: users are affected now, so it needs an immediate response. `ticket`: it can wait for the next working day. */
  severity: Severity;
  metric: IMetric;
  /** Threshold: the alarm goes off above this value, or below it for a heartbeat. */
  threshold: number;
  /** True for something that must happen continuously: the alarm goes off below the threshold, and if data is missing. */
  isHeartbeat?: true;
  /** Number of consecutive periods beyond the threshold. Default: 1. */
  periods?: number;
}

/** An alarm on combinations of conditions. Each condition is an alarm without an action. */
export interface CombinedAlarm extends Described {
  severity: Severity;
  /** The alarm goes off while all conditions of one of these lists hold. */
  anyOf: Condition[][];
}

/** One condition of a combined alarm. */
export type Condition = Omit<Alarm, 'severity' | 'runbookAnchor'>;

/** The receivers of alarms, by their severity. */
export type AlarmActions = Record<Severity, IAlarmAction>;

/** Namespace of the metrics that functions write into their logs (runtime/observability/log.ts). */
export const METRIC_NAMESPACE = 'HostingPlatform';
/** CloudWatch's maximum number of metrics in the expression of an alarm (API reference, PutMetricAlarm). */
export const MAX_METRICS_PER_ALARM = 10;

const FIVE_MINUTES = Duration.minutes(5);
export const sum = (namespace: string, metricName: string, dimensionsMap: Record<string, string>): Metric =>
  new Metric({ namespace, metricName, dimensionsMap, statistic: Stats.SUM, period: FIVE_MINUTES });
export const maximum = (namespace: string, metricName: string, dimensionsMap: Record<string, string>): Metric =>
  new Metric({ namespace, metricName, dimensionsMap, statistic: Stats.MAXIMUM, period: FIVE_MINUTES });

/** Returns an expression that joins a term for each metric. @param term returns the term of a metric from its id in the expression */
const joinTerms = (metrics: readonly Metric[], term: (id: string, index: number) => string, operator: string) =>
  new MathExpression({
    expression: metrics.map((_, index) => term(`m${index}`, index)).join(operator),
    usingMetrics: Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric])),
    period: FIVE_MINUTES,
  });

/** Returns the sum of metrics; a metric without data counts as 0. Each metric adds to the cost of the alarm. */
export const total = (...metrics: Metric[]): MathExpression => joinTerms(metrics, (id) => `FILL(${id},0)`, '+');

/**
 * Returns the number of metrics that exceed their thresholds, for one alarm on several metrics with the threshold 0. A metric without data
 * counts as 0.
 */
export const exceeding = (...limits: [metric: Metric, threshold: number][]): MathExpression =>
  joinTerms(
    limits.map(([metric]) => metric),
    (id, index) => `(FILL(${id},0)>${limits[index]?.[1]})`,
    '+',
  );

/**
 * Returns 1 while all metrics reach the value, otherwise 0, and no data if a metric has no data: for a heartbeat with the threshold 1.
 */
export const allReach = (value: number, ...metrics: Metric[]): MathExpression =>
  joinTerms(metrics, (id) => `(${id}>=${value})`, '*');

const describe = ({ description, runbookAnchor }: Pick<Described, 'description' | 'runbookAnchor'>, label: string) =>
  `[${label}] ${description} See docs/runbook.md#${runbookAnchor}`;

function metricAlarm(scope: Construct, prefix: string, alarm: Condition, alarmDescription: string): CloudWatchAlarm {
  const { name, metric, threshold, periods = 1, isHeartbeat } = alarm;
  if (metric instanceof MathExpression && Object.keys(metric.usingMetrics).length > MAX_METRICS_PER_ALARM)
    throw new Error(`The alarm ${name} is on more than ${MAX_METRICS_PER_ALARM} metrics`);
  return new CloudWatchAlarm(scope, `Alarm-${name}`, {
    alarmName: `${prefix}-${name}`,
    alarmDescription,
    metric,
    threshold,
    evaluationPeriods: periods,
    comparisonOperator: isHeartbeat
      ? ComparisonOperator.LESS_THAN_THRESHOLD
      : ComparisonOperator.GREATER_THAN_THRESHOLD,
    treatMissingData: isHeartbeat ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
  });
}

/** Creates an alarm whose description has its severity and the link to the runbook. */
export function createAlarm(scope: Construct, prefix: string, alarm: Alarm, actions: AlarmActions): void {
  const { severity } = alarm;
  metricAlarm(scope, prefix, alarm, describe(alarm, severity)).addAlarmAction(actions[severity]);
}

/** Creates a combined alarm and the alarms on its conditions. Conditions with the same name share one alarm. */
export function createCombinedAlarm(
  scope: Construct,
  prefix: string,
  { name, severity, anyOf, ...about }: CombinedAlarm,
  actions: AlarmActions,
): void {
  const { runbookAnchor } = about;
  const conditions = new Map(anyOf.flat().map((condition) => [condition.name, condition]));
  const alarms = [...conditions.values()].map((condition) =>
    metricAlarm(scope, prefix, condition, describe({ ...condition, runbookAnchor }, `condition of ${name}`)),
  );
  // A rule accepts names as well as ARNs. Names are used, because they are the same in every region and account.
  const inAlarm = ({ name: condition }: Condition) => `ALARM("${prefix}-${condition}")`;
  const combined = new CompositeAlarm(scope, `Combined-${name}`, {
    compositeAlarmName: `${prefix}-${name}`,
    alarmDescription: describe(about, severity),
    alarmRule: AlarmRule.fromString(anyOf.map((all) => `(${all.map(inAlarm).join(' AND ')})`).join(' OR ')),
  });
  combined.node.addDependency(...alarms);
  combined.addAlarmAction(actions[severity]);
}
