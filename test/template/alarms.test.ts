import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { BURN_RULES, SERVICE_LEVELS } from '../../contract/limits/service-levels.ts';
import { alarmsOn, type Sample } from '../support/alarm-states.ts';
import { CONTACTS, read, synthesize } from './synthesized.ts';

/** Alarms: how many, with a severity and a page of the runbook each, and when they go off. */

const { template, stacks } = synthesize({ stage: 'prod', ...CONTACTS });
const Alarm = z.object({
  AlarmName: z.string(),
  AlarmDescription: z.string(),
  AlarmActions: z.array(z.string()).default([]),
  AlarmRule: z.string().default(''),
});
const TYPES = ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm'];
const alarms = TYPES.flatMap((type) => read(template, type, Alarm));
const topicNames = new Map(
  read(template, 'AWS::SNS::Topic', z.object({ TopicName: z.string() })).map(({ arn, TopicName }) => [arn, TopicName]),
);
const runbook = readFileSync('docs/runbook.md', 'utf8');
const PAGES = new Set(
  [...runbook.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-')),
);

test('there are at most 60 alarms in each region, conditions of combined ones included', () => {
  for (const { region } of stacks) {
    const inRegion = stacks.filter((each) => each.region === region);
    const count = inRegion
      .flatMap((each) => Object.values(each.template.Resources))
      .filter(({ Type }) => TYPES.includes(Type)).length;
    expect(count, region).toBeLessThanOrEqual(60);
  }
  expect(alarms.length).toBeGreaterThan(30);
});

test('every alarm has a page of the runbook, and every one that notifies has a severity and its topic', () => {
  const conditions = new Set(
    alarms.flatMap(({ AlarmRule }) => [...AlarmRule.matchAll(/ALARM\("([^"]+)"\)/g)].map(([, name]) => name)),
  );
  for (const { AlarmName, AlarmDescription, AlarmActions } of alarms) {
    const [, what, page] = /^\[([^\]]+)\] .+ See docs\/runbook\.md#([\w-]+)$/.exec(AlarmDescription) ?? [];
    expect(PAGES, AlarmName).toContain(page);
    const topics = AlarmActions.map((arn) => topicNames.get(arn) ?? arn);
    if (conditions.has(AlarmName)) {
      expect(what, AlarmName).toMatch(/^condition of /);
      expect(topics, AlarmName).toEqual([]);
    } else {
      expect(['page', 'ticket'], AlarmName).toContain(what);
      expect(topics, AlarmName).toHaveLength(1);
      expect(topics[0], AlarmName).toContain(`-${what}s`);
    }
  }
});

/** Names of the platform's own metrics on which alarms are. */
const OwnMetric = z.object({ Namespace: z.string().optional(), MetricName: z.string().optional() });
const Measured = OwnMetric.extend({
  Metrics: z.array(z.object({ MetricStat: z.object({ Metric: OwnMetric }).optional() })).default([]),
});

test('every metric of ours that an alarm is on is written by the code, by the same name (runtime/observability/)', () => {
  const ofAlarms = read(template, 'AWS::CloudWatch::Alarm', Measured).flatMap(({ Metrics, ...own }) => [
    own,
    ...Metrics.flatMap(({ MetricStat }) => MetricStat?.Metric ?? []),
  ]);
  const names = new Set(
    ofAlarms.flatMap(({ Namespace, MetricName = '' }) => (Namespace === 'HostingPlatform' ? MetricName : [])),
  );
  expect(names.size).toBeGreaterThan(20);
  const written = globSync('runtime/observability/*-{metrics,report}.ts').map((path) => readFileSync(path, 'utf8'));
  const isWritten = (name: string) => written.some((text) => new RegExp(`\\b${name}\\b`).test(text));
  expect([...names].filter((name) => !isWritten(name))).toEqual([]);
});

test('pages go to their own address, tickets to the alarms’', () => {
  const subscriptions = read(
    template,
    'AWS::SNS::Subscription',
    z.object({ Endpoint: z.string(), TopicArn: z.string() }),
  );
  const receivers = subscriptions.map(({ Endpoint, TopicArn }) => [
    topicNames.get(TopicArn)?.includes('-pages'),
    Endpoint,
  ]);
  expect(new Set(receivers.map(String))).toEqual(new Set(['true,page@hosting.example', 'false,ops@hosting.example']));
});

test('what must happen all the time is an alarm where it has no data', () => {
  const silent = alarmsOn(template, [], Date.now());
  expect(silent).toEqual(['hosting-prod-checks-missing', 'hosting-prod-schedules-silent']);
});

const NOW = Date.UTC(2026, 10, 23, 3);
const MINUTE = 60_000;
const [api] = template.resources('AWS::ApiGatewayV2::Api');

/** Returns samples of every minute of a time, the newest now. */
function everyMinute(minutes: number, sample: (minute: number) => Omit<Sample, 'at'>[], until = NOW): Sample[] {
  return Array.from({ length: minutes }, (_, minute) =>
    sample(minute).map((each) => ({ ...each, at: until - minute * MINUTE })),
  ).flat();
}

/** Requests to the API in a minute, of which some fail. */
const requests = (count: number, failed: number): Omit<Sample, 'at'>[] => {
  const of = { namespace: 'AWS/ApiGateway', dimensions: { ApiId: api?.ref ?? '' } };
  return [
    { ...of, metric: 'Count', value: count },
    { ...of, metric: '5xx', value: failed },
  ];
};
const own = (metric: string, value: number, dimensions: Record<string, string> = {}): Omit<Sample, 'at'> => ({
  namespace: 'HostingPlatform',
  metric,
  value,
  dimensions: { stage: 'prod', ...dimensions },
});
/** The combined alarms that are on. */
const combinedOn = (samples: Sample[], now = NOW) =>
  alarmsOn(template, samples, now)
    .map((name) => name.replace('hosting-prod-', ''))
    .filter((name) => alarms.some(({ AlarmName, AlarmRule }) => AlarmName === `hosting-prod-${name}` && AlarmRule));

describe('service levels', () => {
  test('2% of errors for an hour page; the page ends within half an hour of the repair', () => {
    const failing = everyMinute(60, () => requests(1000, 20));
    expect(combinedOn(failing)).toEqual(['api', 'budget-of-requests']);
    const repaired = [...failing, ...everyMinute(30, () => requests(1000, 0), NOW + 30 * MINUTE)];
    expect(combinedOn(repaired, NOW + 30 * MINUTE)).not.toContain('api');
  });

  test('0.7% of errors page after six hours, and 0.2% are a ticket', () => {
    expect(combinedOn(everyMinute(6 * 60, () => requests(1000, 7)))).toContain('api');
    expect(combinedOn(everyMinute(72 * 60, () => requests(1000, 2)))).toEqual(['budget-of-requests']);
    expect(combinedOn(everyMinute(72 * 60, () => requests(10_000, 9)))).toEqual([]);
  });

  test('one failed request of a quiet night is no alarm', () => {
    expect(combinedOn(everyMinute(60, (minute) => requests(1, minute === 0 ? 1 : 0)))).toEqual([]);
  });

  test('slow first attempts at deliveries page, fast ones do not', () => {
    const lag = (ms: number) => everyMinute(60, () => [own('WebhookLag', ms)]);
    expect(combinedOn(lag(90_000))).toContain('webhooks');
    for (const ms of [900, 0]) expect(combinedOn(lag(ms))).toEqual([]);
  });

  test('an application of the platform that is down for five minutes pages', () => {
    const checks = (down: number) =>
      everyMinute(60, (minute) => [own('CheckSuccess', minute < down ? 0 : 1, { check: 'hosted-page' })]);
    expect(combinedOn(checks(5))).toContain('applications');
    expect(combinedOn(checks(2))).toEqual([]);
  });

  test('deployments that the platform fails page; those that their owners fail count nowhere', () => {
    const ended = (value: number) => everyMinute(5, () => [own('DeploymentSuccess', value)]);
    expect(combinedOn(ended(0))).toContain('deployments');
    expect(combinedOn(ended(1))).toEqual([]);
  });

  test('every promise has an objective that its windows can measure', () => {
    for (const { objective } of Object.values(SERVICE_LEVELS)) {
      // A burn rate beyond 1 / (1 - objective) would mean more bad events than events.
      for (const { rate } of BURN_RULES) expect(rate * (1 - objective)).toBeLessThan(1);
    }
  });
});

test('quotas are a ticket at 70% and a page at 90%', () => {
  const concurrency = { namespace: 'AWS/Lambda', metric: 'ClaimedAccountConcurrency', dimensions: {} };
  const used = (value: number) =>
    alarmsOn(
      template,
      everyMinute(10, () => [{ ...concurrency, value }]),
      NOW,
    ).filter((name) => name.includes('quotas'));
  expect(used(690)).toEqual([]);
  expect(used(750)).toEqual(['hosting-prod-quotas-70']);
  expect(used(950)).toEqual(['hosting-prod-quotas-70', 'hosting-prod-quotas-90']);
});

test('throttles of the table and of each index are a ticket', () => {
  const indexes = ['list', 'order', 'due'].map((GlobalSecondaryIndexName) => ({ GlobalSecondaryIndexName }));
  for (const metric of ['ReadThrottleEvents', 'WriteThrottleEvents'])
    for (const part of [{}, ...indexes]) {
      const dimensions = { TableName: 'hosting-prod', ...part };
      const samples = everyMinute(10, () => [{ namespace: 'AWS/DynamoDB', metric, value: 20, dimensions }]);
      expect(alarmsOn(template, samples, NOW), JSON.stringify(part)).toContain('hosting-prod-table-throttles');
    }
});

const Metric = z.object({
  Namespace: z.string(),
  MetricName: z.string(),
  Dimensions: z.array(z.object({ Name: z.string(), Value: z.string() })).default([]),
});
/** The name of an alarm without its stage and region, and without the number of an alarm that continues another one. */
const shortName = (name: string) => name.replace(/^hosting-prod-(af-south-1-)?/, '').replace(/-\d+$/, '');
/** The metrics that an alarm is on, together with those that continue it: an alarm has at most ten metrics. */
function metricsOf(name: string): z.output<typeof Metric>[] {
  const Metrics = z.array(z.object({ MetricStat: z.object({ Metric }).optional() }));
  return template
    .resources('AWS::CloudWatch::Alarm')
    .filter(({ properties }) => shortName(String(properties.AlarmName)) === name)
    .flatMap(({ properties }) =>
      properties.Metrics
        ? Metrics.parse(properties.Metrics).flatMap(({ MetricStat }) => MetricStat?.Metric ?? [])
        : [Metric.parse(properties)],
    );
}
const count = (type: string, name: RegExp) => template.resources(type).filter((each) => name.test(each.name)).length;

test.each([
  ['ai-errors', 2],
  ['ai-own-key-refused', 1],
  ['card-disputes', 1],
  ['deployment-faults', 1],
  ['due-items', 2],
  ['edge-functions', 4],
  ['executions', 2 * count('AWS::StepFunctions::StateMachine', /^/)],
  ['failure-queues', count('AWS::SQS::Queue', /-failures$/)],
  ['flags-expired', 1],
  ['migration-failures', 1],
])('one event is enough for the alarm %s, by any of its metrics', (name, expected) => {
  const metrics = metricsOf(name);
  expect(metrics).toHaveLength(expected);
  for (const { Namespace: namespace, MetricName: metric, Dimensions } of metrics) {
    const dimensions = Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, Value]));
    const event = { namespace, metric, dimensions, value: 1, at: NOW };
    const on = alarmsOn(template, [event], NOW).map(shortName);
    expect(on, JSON.stringify(event)).toContain(name);
  }
});

test.each([
  ['domains-refused', 'task', 'RENEW'],
  ['domains-absent', 'outcome', 'ABSENT'],
  ['ai-ledger', 'operation', 'checkAiLedgers'],
])('one event is enough for the alarm %s, if it is %s %s', (name, dimension, value) => {
  const [metric] = metricsOf(name).filter(({ Dimensions }) =>
    Dimensions.some((each) => each.Name === dimension && each.Value === value),
  );
  const sample = own(metric?.MetricName ?? '', 1, { [dimension]: value });
  expect(alarmsOn(template, [{ ...sample, at: NOW }], NOW)).toContain(`hosting-prod-${name}`);
});

test('the dashboard has four columns, and no line for each application', () => {
  const [dashboard] = template.resources('AWS::CloudWatch::Dashboard');
  const { widgets } = z
    .object({
      widgets: z.array(
        z.object({ type: z.string(), x: z.number(), properties: z.looseObject({ title: z.string().optional() }) }),
      ),
    })
    .parse(JSON.parse(String(dashboard?.properties.DashboardBody)));
  const graphs = widgets.filter(({ type }) => type === 'metric');
  expect([...new Set(graphs.map(({ x }) => x))].sort((a, b) => a - b)).toEqual([0, 6, 12, 18]);
  expect(graphs.length).toBeLessThanOrEqual(28);
  const text = JSON.stringify(graphs);
  // A search by function would find the functions of applications too.
  for (const [search = ''] of text.matchAll(/SEARCH\('[^)]*\)/g)) expect(search).not.toMatch(/FunctionName|QueueName/);
  expect(text).not.toContain('hosting-prod-app-');
});
