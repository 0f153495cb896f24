import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';
import { type Alarm, METRIC_NAMESPACE, maximum, sum } from '../constructs/alarms.ts';
import { PlatformFunction } from '../constructs/function.ts';
import { FailureQueue } from '../constructs/queues.ts';
import { Machine } from '../constructs/state-machine.ts';
import type { ApiStack } from './api.ts';
import type { Platform } from './platform-stack.ts';
import { DomainsStack } from './registrar.ts';
import { StreamStack } from './stream.ts';
import { DeliveryStack } from './webhooks.ts';

/** Returns the alarms of a platform construct; none for any other construct. */
export function alarmsFor(construct: unknown): Alarm[] {
  if (construct instanceof PlatformFunction) return alarmsForFunction(construct);
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
    return ['ExecutionsFailed', 'ExecutionsTimedOut', 'ExecutionsAborted'].map((metricName) => ({
      name: `${construct.machineName}-${metricName}`,
      metric: sum('AWS/States', metricName, { StateMachineArn: construct.stateMachineArn }),
      threshold: 0,
      description:
        'An execution ended without recording its result. A failed deployment records it and does not raise this alarm.',
      runbookAnchor: 'state-machine-failures' as const,
    }));
  }
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

function alarmsForFunction({ functionName }: PlatformFunction): Alarm[] {
  const dimensions = { FunctionName: functionName };
  return [
    {
      name: `${functionName}-errors`,
      metric: sum('AWS/Lambda', 'Errors', dimensions),
      threshold: 0,
      description: 'An invocation crashed or timed out.',
      runbookAnchor: 'function-errors',
    },
    {
      name: `${functionName}-throttles`,
      metric: sum('AWS/Lambda', 'Throttles', dimensions),
      threshold: 0,
      description: 'Invocations were throttled because the concurrency limit is used up.',
      runbookAnchor: 'function-throttles',
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
  return ['ReadThrottleEvents', 'WriteThrottleEvents'].map((metricName) => ({
    name: `table-${metricName}`,
    metric: sum('AWS/DynamoDB', metricName, { TableName: names.table.name }),
    threshold: 10,
    description: 'DynamoDB throttled requests: a hot key or a jump in traffic.',
    runbookAnchor: 'table-throttles' as const,
  }));
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
      metric: counted('UpstreamFailures'),
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

function alarmsForDomains({ queueName, stage }: DomainsStack): Alarm[] {
  return [
    {
      name: 'domain-renewals-refused',
      metric: sum(METRIC_NAMESPACE, 'DomainTasksRefused', { stage, task: 'RENEW' }),
      threshold: 0,
      description: 'The registrar refused to renew a domain, so its owner may lose it.',
      runbookAnchor: 'domains-refused',
    },
    {
      name: 'domain-registrations-refused',
      metric: sum(METRIC_NAMESPACE, 'DomainTasksRefused', { stage, task: 'REGISTER' }),
      threshold: 5,
      description: 'The registrar refused more than 5 registrations within 5 minutes; the cause may be the platform.',
      runbookAnchor: 'domains-refused',
    },
    {
      name: 'domains-absent',
      metric: sum(METRIC_NAMESPACE, 'DomainsUnconfirmed', { stage, outcome: 'ABSENT' }),
      threshold: 0,
      description:
        'The registrar says that it has a registered domain no more. The domain ends after seven days of it.',
      runbookAnchor: 'domains-absent',
    },
    {
      name: 'domains-unknown',
      metric: sum(METRIC_NAMESPACE, 'DomainsUnconfirmed', { stage, outcome: 'UNKNOWN' }),
      threshold: 5,
      description: 'The registrar did not say of more than 5 domains within 5 minutes whether it has them.',
      runbookAnchor: 'domains-absent',
    },
    {
      name: 'dns-waiting',
      metric: maximum('AWS/SQS', 'ApproximateNumberOfMessagesVisible', { QueueName: queueName }),
      threshold: 100,
      periods: 2,
      description: 'DNS changes wait in the queue instead of reaching the name servers.',
      runbookAnchor: 'dns-behind',
    },
    {
      name: 'dns-refused',
      metric: sum(METRIC_NAMESPACE, 'ZoneSyncFailures', { stage }),
      threshold: 5,
      description: 'The name servers refuse the records of zones, or do not answer.',
      runbookAnchor: 'dns-behind',
    },
  ];
}

function alarmsForDelivery({ queueName, stage }: DeliveryStack): Alarm[] {
  return [
    {
      name: 'webhooks-waiting',
      metric: maximum('AWS/SQS', 'ApproximateNumberOfMessagesVisible', { QueueName: queueName }),
      threshold: 10_000,
      periods: 2,
      description: 'More than 10,000 webhook deliveries wait in the queue.',
      runbookAnchor: 'webhooks-behind',
    },
    {
      name: 'webhooks-overdue',
      metric: maximum(METRIC_NAMESPACE, 'WebhookOldestDue', { stage }),
      threshold: 300,
      description: 'A webhook delivery is more than 5 minutes late.',
      runbookAnchor: 'webhooks-behind',
    },
    {
      name: 'webhooks-disabled',
      metric: sum(METRIC_NAMESPACE, 'WebhooksDisabled', { stage }),
      threshold: 5,
      description: 'More than 5 webhook endpoints were disabled within 5 minutes; the cause may be the platform.',
      runbookAnchor: 'webhooks-disabled',
    },
  ];
}

/** Alarms on the metrics of runtime/observability/hosting-metrics.ts. */
export function alarmsForHosting({ config }: Platform): Alarm[] {
  return [
    {
      name: 'hosting-problems',
      metric: sum(METRIC_NAMESPACE, 'HostingProblems', { stage: config.stage }),
      threshold: 5,
      description: 'A hosting server fails requests: accounts are not created, suspended or removed.',
      runbookAnchor: 'hosting-servers',
    },
  ];
}

/** Alarms on the metrics of runtime/observability/payment-metrics.ts. */
export function alarmsForPayments({ config }: Platform): Alarm[] {
  return [
    {
      name: 'card-disputes',
      metric: sum(METRIC_NAMESPACE, 'CardDisputes', { stage: config.stage }),
      threshold: 0,
      description: 'A card payment was disputed, or a dispute was decided.',
      runbookAnchor: 'card-disputes',
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
