import * as z from 'zod';
import type { Template } from '../../local/template/template.ts';
import { evaluate } from './metric-math.ts';

/** Evaluates the alarms of a synthesized template on measured values, as CloudWatch does at one moment. */

/** One value of a metric. */
export interface Sample {
  namespace: string;
  metric: string;
  dimensions: Record<string, string>;
  value: number;
  /** Milliseconds since 1970. */
  at: number;
}

const Dimensions = z.array(z.object({ Name: z.string(), Value: z.string() })).default([]);
const MetricAlarm = z.object({
  AlarmName: z.string(),
  Threshold: z.number(),
  ComparisonOperator: z.enum(['GreaterThanThreshold', 'LessThanThreshold']),
  EvaluationPeriods: z.number(),
  TreatMissingData: z.enum(['breaching', 'notBreaching']),
  Namespace: z.string().optional(),
  MetricName: z.string().optional(),
  Dimensions,
  Statistic: z.string().optional(),
  Period: z.number().optional(),
  Metrics: z
    .array(
      z.object({
        Id: z.string(),
        Expression: z.string().optional(),
        ReturnData: z.boolean().optional(),
        MetricStat: z
          .object({
            Metric: z.object({ Namespace: z.string(), MetricName: z.string(), Dimensions }),
            Period: z.number(),
            Stat: z.string(),
          })
          .optional(),
      }),
    )
    .default([]),
});
type MetricAlarm = z.output<typeof MetricAlarm>;
const CombinedAlarm = z.object({ AlarmName: z.string(), AlarmRule: z.string() });

const toRecord = (dimensions: z.output<typeof Dimensions>) =>
  Object.fromEntries(dimensions.map(({ Name, Value }) => [Name, Value]));

/** Returns a statistic of values; undefined without values. */
function statistic(name: string, values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  if (name === 'Sum') return values.reduce((total, value) => total + value, 0);
  if (name === 'Maximum') return Math.max(...values);
  if (name === 'SampleCount') return values.length;
  if (name === 'Average') return values.reduce((total, value) => total + value, 0) / values.length;
  const [, from, to] = /^PR\(([\d.]*):([\d.]+)\)$/.exec(name) ?? [];
  if (from === undefined) throw new Error(`The statistic ${name} is not known to this evaluator`);
  // The beginning is not part of the range, the end is (CloudWatch user guide, "Statistics definitions").
  const inside = values.filter((value) => (from === '' || value > Number(from)) && value <= Number(to));
  return (inside.length / values.length) * 100;
}

interface Query {
  namespace: string;
  metric: string;
  dimensions: Record<string, string>;
  stat: string;
  period: number;
}

function read(samples: readonly Sample[], query: Query, until: number): number | undefined {
  const wanted = JSON.stringify(Object.entries(query.dimensions).sort());
  const values = samples.filter(
    ({ namespace, metric, dimensions, at }) =>
      namespace === query.namespace &&
      metric === query.metric &&
      JSON.stringify(Object.entries(dimensions).sort()) === wanted &&
      at <= until &&
      at > until - query.period * 1000,
  );
  return statistic(
    query.stat,
    values.map(({ value }) => value),
  );
}

/** Returns the value that an alarm watches in the period that ends at a time, and the length of the period in seconds. */
function watched(
  alarm: MetricAlarm,
  samples: readonly Sample[],
  until: number,
): { value: number | undefined; period: number } {
  if (alarm.MetricName !== undefined) {
    const period = alarm.Period ?? 300;
    const about = { namespace: alarm.Namespace ?? '', metric: alarm.MetricName, stat: alarm.Statistic ?? '', period };
    return { value: read(samples, { ...about, dimensions: toRecord(alarm.Dimensions) }, until), period };
  }
  const period = alarm.Metrics.find(({ MetricStat }) => MetricStat)?.MetricStat?.Period ?? 300;
  const lookUp = (id: string): number | undefined => {
    const part = alarm.Metrics.find(({ Id }) => Id === id);
    if (part?.Expression !== undefined) return evaluate(part.Expression, lookUp);
    if (!part?.MetricStat) throw new Error(`${alarm.AlarmName} has no metric ${id}`);
    const { Metric, Stat, Period } = part.MetricStat;
    const about = { namespace: Metric.Namespace, metric: Metric.MetricName, stat: Stat, period: Period };
    return read(samples, { ...about, dimensions: toRecord(Metric.Dimensions) }, until);
  };
  const watchedPart = alarm.Metrics.find(({ ReturnData }) => ReturnData !== false);
  return { value: lookUp(watchedPart?.Id ?? ''), period };
}

function isMetricAlarmOn(alarm: MetricAlarm, samples: readonly Sample[], now: number): boolean {
  for (let index = 0; index < alarm.EvaluationPeriods; index += 1) {
    const { period } = watched(alarm, [], now);
    const { value } = watched(alarm, samples, now - index * period * 1000);
    const beyond =
      value === undefined
        ? alarm.TreatMissingData === 'breaching'
        : alarm.ComparisonOperator === 'GreaterThanThreshold'
          ? value > alarm.Threshold
          : value < alarm.Threshold;
    if (!beyond) return false;
  }
  return true;
}

/** The alarms of a template, parsed once. */
const parsed = new WeakMap<Template, MetricAlarm[]>();
function metricAlarmsOf(template: Template): MetricAlarm[] {
  const known = parsed.get(template);
  if (known) return known;
  const alarms = template.resources('AWS::CloudWatch::Alarm').map(({ properties }) => MetricAlarm.parse(properties));
  parsed.set(template, alarms);
  return alarms;
}

/**
 * Returns the names of the alarms of a template that are on, combined ones included.
 * @param only evaluates these alarms and their conditions alone
 */
export function alarmsOn(
  template: Template,
  samples: readonly Sample[],
  now: number,
  only?: readonly string[],
): string[] {
  const on = metricAlarmsOf(template)
    .filter(({ AlarmName }) => !only || only.some((name) => AlarmName === name || AlarmName.startsWith(`${name}-`)))
    .filter((alarm) => isMetricAlarmOn(alarm, samples, now))
    .map(({ AlarmName }) => AlarmName);
  const combined = template.resources('AWS::CloudWatch::CompositeAlarm').flatMap(({ properties }) => {
    const { AlarmName, AlarmRule } = CombinedAlarm.parse(properties);
    const holds = AlarmRule.split(' OR ').some((all) =>
      [...all.matchAll(/ALARM\("([^"]+)"\)/g)].every(([, name = '']) => on.includes(name)),
    );
    return holds ? [AlarmName] : [];
  });
  return [...on, ...combined].sort();
}

const Emf = z.looseObject({
  _aws: z.object({
    Timestamp: z.number(),
    CloudWatchMetrics: z.array(
      z.object({
        Namespace: z.string(),
        Dimensions: z.array(z.array(z.string())),
        Metrics: z.array(z.object({ Name: z.string() })),
      }),
    ),
  }),
});

/** Returns the values of metrics that a line of a function's log holds, as CloudWatch extracts them. */
export function samplesOf(line: string): Sample[] {
  if (!line.includes('"_aws"')) return [];
  const fields = Emf.parse(JSON.parse(line));
  return fields._aws.CloudWatchMetrics.flatMap(({ Namespace, Dimensions, Metrics }) =>
    Metrics.flatMap(({ Name }) =>
      Dimensions.map((names) => ({
        namespace: Namespace,
        metric: Name,
        dimensions: Object.fromEntries(names.map((name) => [name, String(fields[name])])),
        value: Number(fields[Name]),
        at: fields._aws.Timestamp,
      })),
    ),
  );
}

/** Returns the dimensions of each metric of this name that an alarm is on. Throws where the alarm has none. */
export function dimensionsOf(template: Template, alarm: string, metric: string): Record<string, string>[] {
  const found = metricAlarmsOf(template)
    .filter(({ AlarmName }) => AlarmName === alarm)
    .flatMap(({ Metrics }) => Metrics.flatMap(({ MetricStat }) => (MetricStat ? [MetricStat.Metric] : [])))
    .filter(({ MetricName }) => MetricName === metric);
  if (found.length === 0) throw new Error(`${alarm} is on no metric ${metric}`);
  return found.map(({ Dimensions: dimensions }) => toRecord(dimensions));
}
