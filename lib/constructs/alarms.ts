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

/** The common part of all kinds of alarms. */
interface Described {
  /** The alarm's name after the prefix. */
  name: string;
  /** The condition in one sentence, as the operator reads it. */
  description: string;
  /** Anchor of the section in docs/runbook.md that describes the response; a test compares. */
  runbookAnchor: string;
}

/** A CloudWatch alarm on a condition that must not occur. */
export interface Alarm extends Described {
  /** `page`: users notice it now, day or night. `ticket`: it waits for the next working day. */
  severity: Severity;
  metric: IMetric;
  /** Threshold: the alarm goes off above this value, or below it for a heartbeat. */
  threshold: number;
  /** True for what must happen all the time: the alarm goes off below the threshold, and where there is no data. */
  isHeartbeat?: true;
  /** Number of consecutive periods beyond the threshold. Default: 1. */
  periods?: number;
}

/** An alarm on combinations of conditions, each of which is an alarm without an action of its own. */
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
/** CloudWatch takes no more metrics in the expression of an alarm (API reference, PutMetricAlarm). */
export const MAX_METRICS_PER_ALARM = 10;

export const FIVE_MINUTES = Duration.minutes(5);
export const sum = (namespace: string, metricName: string, dimensionsMap: Record<string, string>): Metric =>
  new Metric({ namespace, metricName, dimensionsMap, statistic: Stats.SUM, period: FIVE_MINUTES });
export const maximum = (namespace: string, metricName: string, dimensionsMap: Record<string, string>): Metric =>
  new Metric({ namespace, metricName, dimensionsMap, statistic: Stats.MAXIMUM, period: FIVE_MINUTES });

/** Returns an expression over metrics, each with its term: `m` in the term stands for the metric. */
const joined = (metrics: readonly Metric[], term: (id: string, index: number) => string, operator: string) =>
  new MathExpression({
    expression: metrics.map((_, index) => term(`m${index}`, index)).join(operator),
    usingMetrics: Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric])),
    period: FIVE_MINUTES,
  });

/** Returns the sum of metrics of which some may have no data. Each of them counts towards the bill of its alarm. */
export const total = (...metrics: Metric[]): MathExpression => joined(metrics, (id) => `FILL(${id},0)`, '+');

/**
 * Returns the number of thresholds that metrics exceed, for one alarm on several of them: it goes off above 0. A metric may be
 * without data.
 */
export const exceeding = (...limits: [metric: Metric, threshold: number][]): MathExpression =>
  joined(
    limits.map(([metric]) => metric),
    (id, index) => `(FILL(${id},0)>${limits[index]?.[1]})`,
    '+',
  );

/**
 * Returns 1 while all metrics reach the value, otherwise 0, and nothing at all where one of them has no data: for a
 * heartbeat with the threshold 1.
 */
export const allReach = (value: number, ...metrics: Metric[]): MathExpression =>
  joined(metrics, (id) => `(${id}>=${value})`, '*');

const describe = ({ description, runbookAnchor }: Pick<Described, 'description' | 'runbookAnchor'>, what: string) =>
  `[${what}] ${description} See docs/runbook.md#${runbookAnchor}`;

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

/** Creates an alarm that names its severity and its page of the runbook. */
export function createAlarm(scope: Construct, prefix: string, alarm: Alarm, actions: AlarmActions): void {
  const { severity } = alarm;
  metricAlarm(scope, prefix, alarm, describe(alarm, severity)).addAlarmAction(actions[severity]);
}

/** Creates a combined alarm and the alarms on its conditions, of which combined alarms with the same name share one. */
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
  // By name: a rule takes names as well as ARNs, and a name is the same in every region and account.
  const inAlarm = ({ name: condition }: Condition) => `ALARM("${prefix}-${condition}")`;
  const combined = new CompositeAlarm(scope, `Combined-${name}`, {
    compositeAlarmName: `${prefix}-${name}`,
    alarmDescription: describe(about, severity),
    alarmRule: AlarmRule.fromString(anyOf.map((all) => `(${all.map(inAlarm).join(' AND ')})`).join(' OR ')),
  });
  combined.node.addDependency(...alarms);
  combined.addAlarmAction(actions[severity]);
}
