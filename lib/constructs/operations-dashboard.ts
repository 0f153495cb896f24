import {
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  Metric,
  PeriodOverride,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { Platform } from '../stacks/platform-stack.ts';

const MINUTE = Duration.minutes(1);

/**
 * Creates the CloudWatch dashboard: the API, functions, stream, deployments, webhooks, failure queues, table and AI
 * gateway.
 */
export function dashboard(scope: Construct, { config, names }: Platform, apiId: string): Dashboard {
  const { prefix } = config;
  const api = (metricName: string, statistic: string) =>
    new Metric({ namespace: 'AWS/ApiGateway', metricName, dimensionsMap: { ApiId: apiId }, statistic, period: MINUTE });
  const machine = (metricName: string) =>
    new Metric({
      namespace: 'AWS/States',
      metricName,
      dimensionsMap: { StateMachineArn: names.deployment.arn },
      statistic: Stats.SUM,
      period: MINUTE,
    });
  const table = (metricName: string) =>
    new Metric({
      namespace: 'AWS/DynamoDB',
      metricName,
      dimensionsMap: { TableName: names.table.name },
      statistic: Stats.SUM,
      period: MINUTE,
    });
  /** Returns a metric of all the platform's resources of a kind, including ones that are added later. */
  const searchAll = (schema: string, metricName: string, statistic: string) =>
    new MathExpression({
      expression: `SEARCH('{${schema}} MetricName="${metricName}" "${prefix}"', '${statistic}', 60)`,
      usingMetrics: {},
      label: '',
      period: MINUTE,
    });
  const ai = (metricName: string, statistic: string) =>
    new Metric({
      namespace: 'HostingPlatform',
      metricName,
      dimensionsMap: { stage: config.stage, operation: 'createChatCompletion' },
      statistic,
      period: MINUTE,
    });
  const byProvider = (metricName: string) =>
    new MathExpression({
      expression: `SEARCH('{HostingPlatform,provider,stage} MetricName="${metricName}" stage="${config.stage}"', 'Sum', 60)`,
      usingMetrics: {},
      label: '',
      period: MINUTE,
    });
  /** Returns one of the platform's own metrics, one line per outcome. */
  const outcomeMetric = (metricName: string, statistic: string) =>
    new MathExpression({
      expression: `SEARCH('{HostingPlatform,stage,outcome} MetricName="${metricName}" stage="${config.stage}"', '${statistic}', 60)`,
      usingMetrics: {},
      label: '',
      period: MINUTE,
    });
  const stageMetric = (metricName: string, statistic: string) =>
    new Metric({
      namespace: 'HostingPlatform',
      metricName,
      dimensionsMap: { stage: config.stage },
      statistic,
      period: MINUTE,
    });
  const graph = (title: string, ...left: IMetric[]) => new GraphWidget({ title, left, width: 8, height: 6 });

  return new Dashboard(scope, 'Dashboard', {
    dashboardName: prefix,
    periodOverride: PeriodOverride.AUTO,
    widgets: [
      [
        graph('API requests', api('Count', Stats.SUM)),
        graph('API errors', api('4xx', Stats.SUM), api('5xx', Stats.SUM)),
        graph('API latency', api('Latency', Stats.p(50)), api('Latency', Stats.p(99))),
      ],
      [
        graph('Function errors', searchAll('AWS/Lambda,FunctionName', 'Errors', 'Sum')),
        graph('Function throttles', searchAll('AWS/Lambda,FunctionName', 'Throttles', 'Sum')),
        graph('Function duration', searchAll('AWS/Lambda,FunctionName', 'Duration', 'p99')),
      ],
      [
        graph('Deployments', machine('ExecutionsStarted'), machine('ExecutionsSucceeded'), machine('ExecutionsFailed')),
        graph('Deployment time', machine('ExecutionTime').with({ statistic: Stats.p(90) })),
        graph('Stream age', searchAll('AWS/Lambda,FunctionName', 'IteratorAge', 'Maximum')),
      ],
      [
        graph('Webhook attempts by outcome', outcomeMetric('WebhookAttempts', 'Sum')),
        graph(
          'Webhook latency: receivers, and from event to first attempt',
          outcomeMetric('WebhookAttemptLatency', 'p99'),
          outcomeMetric('WebhookLag', 'p99'),
        ),
        graph('Webhooks overdue (seconds)', stageMetric('WebhookOldestDue', 'Maximum')),
      ],
      [
        graph('Due queues: oldest (seconds)', stageMetric('SweepOldestDue', 'Maximum')),
        graph(
          'Due items failed, quarantined',
          stageMetric('SweepFailures', 'Sum'),
          stageMetric('SweepQuarantined', 'Maximum'),
        ),
      ],
      [
        graph('Failure queues', searchAll('AWS/SQS,QueueName', 'ApproximateNumberOfMessagesVisible', 'Maximum')),
        graph('Table throttles', table('ReadThrottleEvents'), table('WriteThrottleEvents')),
        graph('Table capacity', table('ConsumedReadCapacityUnits'), table('ConsumedWriteCapacityUnits')),
      ],
      [
        graph('AI calls', ai('Calls', Stats.SUM), stageMetric('UpstreamFailures', 'Sum')),
        graph('AI first byte', ai('FirstByte', Stats.p(50)), ai('FirstByte', Stats.p(99))),
        graph('AI gateway overhead', ai('GatewayOverhead', Stats.p(50)), ai('GatewayOverhead', Stats.p(99))),
      ],
      [
        graph('AI tokens', ai('InputTokens', Stats.SUM), ai('OutputTokens', Stats.SUM)),
        graph('AI charged, micro-rand', ai('CostMicroRand', Stats.SUM), ai('WrittenOffMicroRand', Stats.SUM)),
        graph('AI failures by provider', byProvider('UpstreamFailures')),
      ],
    ],
  });
}
