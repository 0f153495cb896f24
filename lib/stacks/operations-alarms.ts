import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { type Alarm, METRIC_NAMESPACE, maximum, sum, total } from '../constructs/alarms.ts';
import { FailureQueue } from '../constructs/queues.ts';
import { Machine } from '../constructs/state-machine.ts';
import { AiStack } from './ai.ts';
import type { ApiStack } from './api.ts';
import type { Platform } from './platform-stack.ts';
import { alarmsForDelivery, alarmsForDomains } from './product-alarms.ts';
import { DomainsStack } from './registrar.ts';
import { SchedulesStack } from './schedules.ts';
import { StreamStack } from './stream.ts';
import { DeliveryStack } from './webhooks.ts';

/**
 * Alarms are about what the platform's users notice: a response, a deployment, a delivery, work that is late or lost. A
 * function has none of its own where its failure reaches one of these (test/template/guarantees.test.ts); each metric of
 * an alarm costs. What customers do wrong counts in none.
 */

/** Returns the alarms of a platform construct; none for any other construct. */
export function alarmsFor(construct: unknown): Alarm[] {
  if (construct instanceof FailureQueue) {
    return [
      {
        name: construct.queueName,
        metric: maximum('AWS/SQS', 'ApproximateNumberOfMessagesVisible', { QueueName: construct.queueName }),
        threshold: 0,
        description: 'Work failed after all retries and waits in this failure queue.',
        runbookAnchor: 'failure-queue',
      },
    ];
  }
  if (construct instanceof Machine) {
    const of = { StateMachineArn: construct.stateMachineArn };
    // Executions are aborted only by the platform itself, for an application that was deleted or suspended.
    return [
      {
        name: construct.machineName,
        metric: total(sum('AWS/States', 'ExecutionsFailed', of), sum('AWS/States', 'ExecutionsTimedOut', of)),
        threshold: 0,
        description:
          'An execution ended without recording its result. A failed deployment records it and does not raise this alarm.',
        runbookAnchor: 'state-machine-failures',
      },
    ];
  }
  if (construct instanceof AiStack) return alarmsForChat(construct);
  if (construct instanceof SchedulesStack) return alarmsForSchedules(construct);
  if (construct instanceof DeliveryStack) return alarmsForDelivery(construct);
  if (construct instanceof DomainsStack) return alarmsForDomains(construct);
  if (construct instanceof StreamStack) {
    return [
      {
        name: 'stream-behind',
        metric: maximum('AWS/Lambda', 'IteratorAge', { FunctionName: construct.consumer.functionName }),
        threshold: Duration.minutes(1).toMilliseconds(),
        description: 'Processing of table changes is more than a minute behind.',
        runbookAnchor: 'stream-behind',
      },
    ];
  }
  return [];
}

/** The streaming function has no API before it whose errors would be counted. */
function alarmsForChat({ chat: { functionName: FunctionName } }: AiStack): Alarm[] {
  return [
    {
      name: 'ai-errors',
      metric: sum('AWS/Lambda', 'Errors', { FunctionName }),
      threshold: 0,
      description: 'An invocation of the AI gateway crashed or timed out.',
      runbookAnchor: 'function-errors',
    },
    {
      name: 'ai-throttles',
      metric: sum('AWS/Lambda', 'Throttles', { FunctionName }),
      threshold: 0,
      description: 'Calls of the AI gateway were throttled: more calls at once than its concurrency.',
      runbookAnchor: 'concurrency',
    },
  ];
}

/** Every scheduled job runs once a minute. If one stops, nothing else would say so. */
const alarmsForSchedules = ({ jobs }: SchedulesStack): Alarm[] =>
  jobs.map(({ name, functionName: FunctionName }) => ({
    name: `${name}-silent`,
    metric: sum('AWS/Lambda', 'Invocations', { FunctionName }),
    threshold: 3,
    periods: 2,
    isHeartbeat: true,
    description: 'A job that is due every minute ran fewer than three times in five minutes.',
    runbookAnchor: 'schedules-silent',
  }));

/** Alarms on deployments that the platform failed (runtime/observability/deployment-metrics.ts), and on builds that wait. */
export function alarmsForDeployments({ config: { stage } }: Platform): Alarm[] {
  return [
    {
      name: 'deployment-faults',
      metric: sum(METRIC_NAMESPACE, 'DeploymentFaults', { stage }),
      threshold: 0,
      description: 'A deployment failed for the platform, not for its owner.',
      runbookAnchor: 'state-machine-failures',
    },
    {
      name: 'builds-waiting',
      metric: maximum(METRIC_NAMESPACE, 'BuildWait', { stage }),
      threshold: TIMEOUTS_S.build.alarm,
      description: 'A build waited for more than 10 minutes for a builder.',
      runbookAnchor: 'builds-waiting',
    },
  ];
}

/** The concurrency that all functions of the account share. */
export function alarmsForConcurrency({ config: { lambdaConcurrency } }: Platform): Alarm[] {
  return [
    {
      name: 'concurrency',
      metric: maximum('AWS/Lambda', 'ClaimedAccountConcurrency', {}),
      threshold: Math.floor(lambdaConcurrency * 0.9),
      periods: 2,
      description: 'More than nine tenths of the account’s Lambda concurrency is reserved or in use.',
      runbookAnchor: 'concurrency',
    },
  ];
}

export function alarmsForApi({ api }: ApiStack): Alarm[] {
  return [
    {
      name: 'api-5xx',
      metric: sum('AWS/ApiGateway', '5xx', { ApiId: api.apiId }),
      threshold: 5,
      description: 'The API answered more than 5 requests with server errors within 5 minutes.',
      runbookAnchor: 'api-5xx',
    },
  ];
}

export function alarmsForTable({ names }: Platform): Alarm[] {
  const of = { TableName: names.table.name };
  return [
    {
      name: 'table-throttles',
      metric: total(sum('AWS/DynamoDB', 'ReadThrottleEvents', of), sum('AWS/DynamoDB', 'WriteThrottleEvents', of)),
      threshold: 10,
      description: 'DynamoDB throttled requests: a hot key or a jump in traffic.',
      runbookAnchor: 'table-throttles',
    },
  ];
}

/**
 * Alarms on the metrics of the AI gateway's functions (runtime/observability/chat-report.ts,
 * functions/schedule/checkAiLedgers.ts).
 */
export function alarmsForAi({ config }: Platform): Alarm[] {
  const counted = (metricName: string, operation = 'createChatCompletion'): Metric =>
    sum('HostingPlatform', metricName, { stage: config.stage, operation });
  return [
    {
      name: 'ai-own-key-refused',
      metric: counted('OwnKeyRefused'),
      threshold: 0,
      description: 'An AI provider refused the platform’s key, so calls to its models fail.',
      runbookAnchor: 'provider-key',
    },
    {
      name: 'ai-upstream-failures',
      metric: sum(METRIC_NAMESPACE, 'UpstreamFailures', { stage: config.stage }),
      threshold: 20,
      description: 'Calls to AI providers failed more than 20 times within 5 minutes.',
      runbookAnchor: 'provider-failures',
    },
    {
      name: 'ai-ledger-mismatch',
      metric: counted('LedgerMismatches', 'checkAiLedgers'),
      threshold: 0,
      description: 'A ledger of AI credits does not add up to its balance.',
      runbookAnchor: 'ai-ledger',
    },
    {
      name: 'ai-unsettled',
      metric: counted('Unsettled'),
      threshold: 0,
      description: 'A call to an AI model could not be charged.',
      runbookAnchor: 'ai-ledger',
    },
    {
      name: 'ai-written-off',
      metric: counted('WrittenOffMicroRand'),
      threshold: 1_000_000,
      description: 'More than R1.00 was written off: AI calls cost more than their callers’ credits.',
      runbookAnchor: 'ai-ledger',
    },
  ];
}

/** Alarms on the metrics of sweeps (runtime/observability/sweep-metrics.ts). */
export function alarmsForDueQueues({ config: { stage } }: Platform): Alarm[] {
  return [
    {
      name: 'due-queues-behind',
      metric: maximum(METRIC_NAMESPACE, 'SweepOldestDue', { stage }),
      threshold: 900,
      description: 'An item is due for more than 15 minutes: scheduled work is late.',
      runbookAnchor: 'due-queues',
    },
    {
      name: 'due-items-failing',
      metric: sum(METRIC_NAMESPACE, 'SweepFailures', { stage }),
      threshold: 0,
      description: 'Scheduled work on an item failed. It is repeated with backoff.',
      runbookAnchor: 'due-queues',
    },
    {
      name: 'due-items-quarantined',
      metric: maximum(METRIC_NAMESPACE, 'SweepQuarantined', { stage }),
      threshold: 0,
      description: 'Scheduled work on an item failed ten times: the item left its queue and waits for an operator.',
      runbookAnchor: 'due-queues',
    },
  ];
}
