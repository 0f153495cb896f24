import {
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  Metric,
  PeriodOverride,
  Stats,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { Product } from '../../contract/limits/service-levels.ts';
import type { Platform } from '../stacks/platform-stack.ts';
import { burnRate, type Sources } from '../stacks/service-level-alarms.ts';
import { METRIC_NAMESPACE } from './alarms.ts';
import { PlatformFunction } from './function.ts';
import { FailureQueue } from './queues.ts';
import { Machine } from './state-machine.ts';

const MINUTE = Duration.minutes(1);
const FIVE_MINUTES = Duration.minutes(5);
/** The size of a graph: a row has four graphs, each a quarter of the page wide. */
const GRAPH = { width: 6, height: 5 };
const HEADING = { width: 24, height: 1 };

/** The questions of an operator about each product, from left to right. */
const COLUMNS = '**Do users notice?** · **Is it us?** · **Is it AWS?** · **Is it an upstream or a receiver?**';

interface Row {
  title: string;
  /** The graphs of the four questions from left to right, each with its title. */
  graphs: [title: string, ...metrics: IMetric[]][];
}

/** The resources whose metrics the graphs show. */
interface Subjects {
  apiId: string;
  sources: Sources;
}

const metric = (
  namespace: string,
  metricName: string,
  dimensionsMap: Record<string, string>,
  statistic: string,
  label = metricName,
) => new Metric({ namespace, metricName, dimensionsMap, statistic, period: MINUTE, label });

/** Returns the metrics of the platform's own code, in total and by a dimension. */
function measuredMetrics(stage: string) {
  return {
    platformMetric: (metricName: string, statistic: string, dimensions: Record<string, string> = {}) =>
      metric(METRIC_NAMESPACE, metricName, { stage, ...dimensions }, statistic),
    platformMetricBy: (dimension: string, metricName: string, statistic: string) =>
      new MathExpression({
        expression: `SEARCH('{${METRIC_NAMESPACE},${dimension},stage} MetricName="${metricName}" stage="${stage}"', '${statistic}', 60)`,
        usingMetrics: {},
        label: '',
        period: MINUTE,
      }),
  };
}

/** Returns the metrics of AWS about the constructs of all stacks. */
function constructMetrics({ app, config: { prefix } }: Platform) {
  const constructs = app.node.findAll();
  const all = <T>(kind: new (...given: never[]) => T): T[] =>
    constructs.flatMap((construct) => (construct instanceof kind ? [construct] : []));
  const shortName = (name: string): string => name.replace(`${prefix}-`, '');
  return {
    /** Returns a metric over all of the platform's functions of a kind, which excludes applications' functions. */
    functionsOf: (kind: string, metricName: string, statistic: string = Stats.SUM) => {
      const found = all(PlatformFunction).filter(({ functionName }) => functionName.startsWith(`${prefix}-${kind}-`));
      const ids = found.map((_, index) => `${kind}${metricName}${index}`);
      return new MathExpression({
        expression: `${statistic === Stats.SUM ? 'SUM' : 'MAX'}([${ids.join(',')}])`,
        usingMetrics: Object.fromEntries(
          found.map(({ functionName }, index) => [
            ids[index],
            metric('AWS/Lambda', metricName, { FunctionName: functionName }, statistic),
          ]),
        ),
        label: `${kind} ${metricName}`,
        period: MINUTE,
      });
    },
    machines: (metricName: string) =>
      all(Machine).map(({ machineName, stateMachineArn: StateMachineArn }) =>
        metric('AWS/States', metricName, { StateMachineArn }, Stats.SUM, shortName(machineName)),
      ),
    failureQueues: all(FailureQueue).map(({ queueName: QueueName }) =>
      metric('AWS/SQS', 'ApproximateNumberOfMessagesVisible', { QueueName }, Stats.MAXIMUM, shortName(QueueName)),
    ),
  };
}

/** Returns a row for each product. */
function rowsOf(platform: Platform, { apiId, sources }: Subjects): Row[] {
  const { platformMetric, platformMetricBy } = measuredMetrics(platform.config.stage);
  const { functionsOf, machines, failureQueues } = constructMetrics(platform);
  const TableName = platform.names.table.name;
  const burn = (product: Product) => burnRate(sources, [product], FIVE_MINUTES);
  const api = (metricName: string, statistic: string) =>
    metric('AWS/ApiGateway', metricName, { ApiId: apiId }, statistic, `${metricName} ${statistic}`);
  const table = (metricName: string) => metric('AWS/DynamoDB', metricName, { TableName }, Stats.SUM);
  const ai = { operation: 'createChatCompletion' };
  return [
    {
      title: 'API and dashboard',
      graphs: [
        ['Burn rate; requests', burn('api'), api('Count', Stats.SUM)],
        ['Server errors, latency', api('5xx', Stats.SUM), api('Latency', Stats.p(99))],
        ['Table throttles', table('ReadThrottleEvents'), table('WriteThrottleEvents')],
        ['4xx: callers’ own', api('4xx', Stats.SUM)],
      ],
    },
    {
      title: 'Applications and deployments',
      graphs: [
        ['Burn rate: hosted page, deployments', burn('applications'), burn('deployments')],
        [
          'Faults of ours; executions that failed',
          platformMetric('DeploymentFaults', Stats.SUM),
          ...machines('ExecutionsFailed'),
        ],
        [
          'Wait for a builder (s); throttled calls',
          platformMetric('BuildWait', Stats.MAXIMUM),
          ...machines('ExecutionThrottled'),
        ],
        ['Deployments that succeeded', platformMetric('DeploymentSuccess', Stats.SUM)],
      ],
    },
    {
      title: 'Webhooks',
      graphs: [
        ['Burn rate; lag of first attempts (ms)', burn('webhooks'), platformMetric('WebhookLag', Stats.p(99))],
        [
          'Functions’ errors; overdue (s)',
          functionsOf('queue', 'Errors'),
          platformMetric('WebhookOldestDue', Stats.MAXIMUM),
        ],
        ['Functions’ throttles', functionsOf('queue', 'Throttles')],
        ['Receivers: attempts by outcome', platformMetricBy('outcome', 'WebhookAttempts', 'Sum')],
      ],
    },
    {
      title: 'AI gateway',
      graphs: [
        ['Burn rate; first byte (ms)', burn('ai'), platformMetric('FirstByte', Stats.p(99), ai)],
        ['Errors; our overhead (ms)', functionsOf('ai', 'Errors'), platformMetric('GatewayOverhead', Stats.p(99), ai)],
        ['Throttles', functionsOf('ai', 'Throttles')],
        ['Failures by provider', platformMetricBy('provider', 'UpstreamFailures', 'Sum')],
      ],
    },
    {
      title: 'Domains, DNS, hosting, payments',
      graphs: [
        ['Due work, oldest (s)', platformMetric('SweepOldestDue', Stats.MAXIMUM)],
        [
          'Due items failed, quarantined',
          platformMetric('SweepFailures', Stats.SUM),
          platformMetric('SweepQuarantined', Stats.MAXIMUM),
        ],
        ['DNS refused by the name servers', platformMetric('ZoneSyncFailures', Stats.SUM)],
        [
          'Registrar, hosting servers, card disputes',
          platformMetricBy('task', 'DomainTasksRefused', 'Sum'),
          platformMetric('HostingProblems', Stats.SUM),
          platformMetric('CardDisputes', Stats.SUM),
        ],
      ],
    },
    {
      title: 'The platform itself',
      graphs: [
        ['Synthetic checks that fail', platformMetricBy('check', 'CheckSuccess', 'Average')],
        [
          'Errors of stream, steps, schedules',
          ...['stream', 'workflow', 'schedule'].map((kind) => functionsOf(kind, 'Errors')),
        ],
        [
          'Stream’s age (ms); concurrency',
          functionsOf('stream', 'IteratorAge', Stats.MAXIMUM),
          metric('AWS/Lambda', 'ClaimedAccountConcurrency', {}, Stats.MAXIMUM),
        ],
        ['Failure queues', ...failureQueues],
      ],
    },
  ];
}

/**
 * Creates the CloudWatch dashboard. It has a row for each product, which shows from left to right whether users notice something, and whether
 * the cause is the platform, AWS or an upstream. No graph has a line for each application, account or endpoint, so the page scales to a million
 * of them.
 */
export const dashboard = (scope: Construct, platform: Platform, subjects: Subjects): Dashboard =>
  new Dashboard(scope, 'Dashboard', {
    dashboardName: platform.config.prefix,
    periodOverride: PeriodOverride.AUTO,
    widgets: [
      [new TextWidget({ ...HEADING, markdown: COLUMNS })],
      ...rowsOf(platform, subjects).flatMap(({ title, graphs }) => [
        [new TextWidget({ ...HEADING, markdown: `## ${title}` })],
        graphs.map(([heading, ...left]) => new GraphWidget({ ...GRAPH, title: heading, left })),
      ]),
    ],
  });
