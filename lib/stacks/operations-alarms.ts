import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import {
  type Alarm,
  allReach,
  exceeding,
  MAX_METRICS_PER_ALARM,
  METRIC_NAMESPACE,
  maximum,
  sum,
  total,
} from '../constructs/alarms.ts';
import { FailureQueue } from '../constructs/queues.ts';
import { Machine } from '../constructs/state-machine.ts';
import { AiStack } from './ai.ts';
import type { ApiStack } from './api.ts';
import { HandOverStack } from './hand-over.ts';
import type { Platform } from './platform-stack.ts';
import { alarmsForDelivery, alarmsForDomains } from './product-alarms.ts';
import { DomainsStack } from './registrar.ts';
import { SchedulesStack } from './schedules.ts';
import { StreamStack } from './stream.ts';
import { DeliveryStack } from './webhooks.ts';

/**
 * Alarms are about what the platform's users notice: a response, a deployment, a delivery, work that is late or lost. A
 * function has none of its own where its failure reaches one of these (test/template/guarantees.test.ts); each metric of
 * an alarm costs. What customers do wrong counts in none. Those on service levels are in service-level-alarms.ts.
 */

/** Returns the alarms of a platform construct; none for any other construct. */
export function alarmsFor(construct: unknown): Alarm[] {
  if (construct instanceof AiStack) return alarmsForChat(construct);
  if (construct instanceof SchedulesStack) return alarmsForSchedules(construct);
  if (construct instanceof DeliveryStack) return alarmsForDelivery(construct);
  if (construct instanceof DomainsStack) return alarmsForDomains(construct);
  if (construct instanceof HandOverStack) return alarmsForJobs(construct);
  if (construct instanceof StreamStack) {
    return [
      {
        name: 'stream-behind',
        severity: 'page',
        metric: maximum('AWS/Lambda', 'IteratorAge', { FunctionName: construct.consumer.functionName }),
        threshold: Duration.minutes(1).toMilliseconds(),
        description: 'Processing of table changes is more than a minute behind.',
        runbookAnchor: 'stream-behind',
      },
    ];
  }
  return [];
}

/** Returns the alarms on groups of constructs of a kind: as few as the number of metrics in one allows. */
function inGroups<T>(
  constructs: readonly unknown[],
  kind: new (...given: never[]) => T,
  metricsOfOne: number,
  alarm: (group: readonly T[], suffix: string) => Alarm,
): Alarm[] {
  const found = constructs.filter((each): each is T => each instanceof kind);
  const size = Math.floor(MAX_METRICS_PER_ALARM / metricsOfOne);
  return Array.from({ length: Math.ceil(found.length / size) }, (_, index) =>
    alarm(found.slice(index * size, (index + 1) * size), index === 0 ? '' : `-${index + 1}`),
  );
}

/** All failure queues together: which one it is, the queues themselves say. */
export const alarmsForFailures = (constructs: readonly unknown[]): Alarm[] =>
  inGroups(constructs, FailureQueue, 1, (queues, suffix) => ({
    name: `failure-queues${suffix}`,
    severity: 'ticket',
    metric: total(
      ...queues.map(({ queueName: QueueName }) =>
        maximum('AWS/SQS', 'ApproximateNumberOfMessagesVisible', { QueueName }),
      ),
    ),
    threshold: 0,
    description: 'Work failed after all retries and waits in a failure queue.',
    runbookAnchor: 'failure-queue',
  }));

/** All state machines together. Executions are aborted only by the platform itself, for an application that was deleted or suspended. */
export const alarmsForMachines = (constructs: readonly unknown[]): Alarm[] =>
  inGroups(constructs, Machine, 2, (machines, suffix) => ({
    name: `executions${suffix}`,
    severity: 'ticket',
    metric: total(
      ...machines.flatMap(({ stateMachineArn: StateMachineArn }) => [
        sum('AWS/States', 'ExecutionsFailed', { StateMachineArn }),
        sum('AWS/States', 'ExecutionsTimedOut', { StateMachineArn }),
      ]),
    ),
    threshold: 0,
    description:
      'An execution ended without recording its result. A failed deployment records it and does not raise this alarm.',
    runbookAnchor: 'state-machine-failures',
  }));

/** The streaming function has no API before it whose errors would be counted. */
function alarmsForChat({ chat: { functionName: FunctionName } }: AiStack): Alarm[] {
  return [
    {
      name: 'ai-errors',
      severity: 'ticket',
      metric: total(
        sum('AWS/Lambda', 'Errors', { FunctionName }),
        // More calls at once than its concurrency.
        sum('AWS/Lambda', 'Throttles', { FunctionName }),
      ),
      threshold: 0,
      description: 'An invocation of the AI gateway crashed, timed out or was throttled.',
      runbookAnchor: 'function-errors',
    },
  ];
}

const visible = (QueueName: string) => maximum('AWS/SQS', 'ApproximateNumberOfMessagesVisible', { QueueName });

/** All queues of jobs together: which one it is, the queues themselves say. */
const alarmsForJobs = ({ queueNames, mailQueueName }: HandOverStack): Alarm[] => [
  {
    name: 'jobs-behind',
    severity: 'page',
    metric: exceeding(
      ...queueNames.map((QueueName): [Metric, number] => [
        maximum('AWS/SQS', 'ApproximateAgeOfOldestMessage', { QueueName }),
        300,
      ]),
      // Emails wait for the end of their hour: only those that could be sent count.
      ...(mailQueueName === undefined ? [] : [[visible(mailQueueName), 1000] satisfies [Metric, number]]),
    ),
    threshold: 0,
    periods: 2,
    description:
      'Routes, payments or workflows wait for more than 5 minutes, or more than 1,000 emails wait: a service outside is away or refuses.',
    runbookAnchor: 'jobs-behind',
  },
];

/** Every scheduled job runs once a minute. If one stops, nothing else would say so. */
const alarmsForSchedules = ({ jobs }: SchedulesStack): Alarm[] => [
  {
    name: 'schedules-silent',
    severity: 'page',
    metric: allReach(
      3,
      ...jobs.map(({ functionName: FunctionName }) => sum('AWS/Lambda', 'Invocations', { FunctionName })),
    ),
    threshold: 1,
    periods: 2,
    isHeartbeat: true,
    description: 'A job that is due every minute ran fewer than three times in five minutes.',
    runbookAnchor: 'schedules-silent',
  },
];

/** Alarms on the synthetic checks (runtime/observability/check-metrics.ts). */
export function alarmsForChecks({ config: { stage } }: Platform): Alarm[] {
  return [
    {
      name: 'checks-failing',
      severity: 'page',
      metric: sum(METRIC_NAMESPACE, 'CheckFailures', { stage }),
      threshold: 2,
      periods: 2,
      description: 'A synthetic check of a product failed at least three times in each of two five minutes.',
      runbookAnchor: 'synthetic-checks',
    },
    {
      name: 'checks-missing',
      severity: 'page',
      metric: sum(METRIC_NAMESPACE, 'ChecksDone', { stage }),
      threshold: 3,
      periods: 2,
      isHeartbeat: true,
      description: 'The synthetic checks are to end every minute and ended fewer than three times in five minutes.',
      runbookAnchor: 'synthetic-checks',
    },
  ];
}

/** Alarms on deployments that the platform failed (runtime/observability/deployment-metrics.ts), and on builds that wait. */
export function alarmsForDeployments({ config: { stage } }: Platform): Alarm[] {
  return [
    {
      name: 'deployment-faults',
      severity: 'ticket',
      metric: sum(METRIC_NAMESPACE, 'DeploymentFaults', { stage }),
      threshold: 0,
      description: 'A deployment failed for the platform, not for its owner.',
      runbookAnchor: 'builds',
    },
    {
      name: 'builds-waiting',
      severity: 'ticket',
      metric: maximum(METRIC_NAMESPACE, 'BuildWait', { stage }),
      threshold: TIMEOUTS_S.build.alarm,
      description: 'A build waits for more than 10 minutes for a builder, in front of the builders or in a line.',
      runbookAnchor: 'builds',
    },
  ];
}

/** The alarm on items that a migration cannot change (runtime/observability/migration-metrics.ts). */
export const alarmsForMigrations = ({ config: { stage } }: Platform): Alarm[] => [
  {
    name: 'migration-failures',
    severity: 'ticket',
    metric: maximum(METRIC_NAMESPACE, 'MigrationFailures', { stage }),
    threshold: 0,
    description: 'A migration could not change items of the table, and no later migration begins before it is done.',
    runbookAnchor: 'a-stuck-migration',
  },
];

/** The API's errors, where its service levels have no alarms. */
export function alarmsForApi({ api }: ApiStack): Alarm[] {
  return [
    {
      name: 'api-5xx',
      severity: 'page',
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
      severity: 'ticket',
      metric: total(sum('AWS/DynamoDB', 'ReadThrottleEvents', of), sum('AWS/DynamoDB', 'WriteThrottleEvents', of)),
      threshold: 10,
      description: 'DynamoDB throttled requests: a hot key or a jump in traffic.',
      runbookAnchor: 'table-throttles',
    },
  ];
}

/**
 * Alarms on the quotas of AWS: on the concurrency that all functions of the account share, which Lambda measures, and on the
 * fullest of those that the platform measures itself (runtime/observability/quota-metrics.ts).
 */
export function alarmsForQuotas({ config: { lambdaConcurrency, stage } }: Platform): Alarm[] {
  const at = (severity: Alarm['severity'], percent: number, ...others: [Metric, number][]): Alarm => ({
    name: `quotas-${percent}`,
    severity,
    metric: exceeding(
      [maximum('AWS/Lambda', 'ClaimedAccountConcurrency', {}), Math.floor((lambdaConcurrency * percent) / 100)],
      [maximum(METRIC_NAMESPACE, 'QuotaUse', { stage }), percent],
      ...others,
    ),
    threshold: 0,
    periods: 2,
    description: `More than ${percent}% of a quota of AWS is used${others.length > 0 ? ', or one could not be measured for hours' : ''}.`,
    runbookAnchor: 'quotas',
  });
  const unmeasured = maximum(METRIC_NAMESPACE, 'QuotasUnmeasured', { stage });
  return [at('ticket', 70, [unmeasured, 0]), at('page', 90)];
}

/**
 * Alarms on the metrics of the AI gateway's functions (runtime/observability/chat-report.ts,
 * functions/schedule/checkAiLedgers.ts).
 */
export function alarmsForAi({ config: { stage } }: Platform): Alarm[] {
  const counted = (metricName: string, operation = 'createChatCompletion') =>
    sum(METRIC_NAMESPACE, metricName, { stage, operation });
  return [
    {
      name: 'ai-own-key-refused',
      severity: 'page',
      metric: counted('OwnKeyRefused'),
      threshold: 0,
      description: 'An AI provider refused the platform’s key, so calls to its models fail.',
      runbookAnchor: 'provider-key',
    },
    {
      name: 'ai-upstream-failures',
      severity: 'ticket',
      metric: sum(METRIC_NAMESPACE, 'UpstreamFailures', { stage }),
      threshold: 20,
      description: 'Calls to AI providers failed more than 20 times within 5 minutes.',
      runbookAnchor: 'provider-failures',
    },
    {
      name: 'ai-ledger',
      severity: 'ticket',
      metric: exceeding(
        [counted('LedgerMismatches', 'checkAiLedgers'), 0],
        [counted('Unsettled'), 0],
        [counted('WrittenOffMicroRand'), 1_000_000],
      ),
      threshold: 0,
      description:
        'A ledger of AI credits does not add up to its balance, a call could not be charged, or more than R1.00 was written off.',
      runbookAnchor: 'ai-ledger',
    },
  ];
}

/** The alarm on feature flags that were to be removed (runtime/observability/flag-metrics.ts). */
export const alarmsForFlags = ({ config: { stage } }: Platform): Alarm[] => [
  {
    name: 'flags-expired',
    severity: 'ticket',
    metric: maximum(METRIC_NAMESPACE, 'ExpiredFlags', { stage }),
    threshold: 0,
    description: 'A feature flag is beyond the day on which its owner was to remove it.',
    runbookAnchor: 'flags',
  },
];

/** Alarms on the metrics of sweeps (runtime/observability/sweep-metrics.ts). */
export function alarmsForDueQueues({ config: { stage } }: Platform): Alarm[] {
  return [
    {
      name: 'due-queues-behind',
      severity: 'page',
      metric: maximum(METRIC_NAMESPACE, 'SweepOldestDue', { stage }),
      threshold: 900,
      description: 'An item is due for more than 15 minutes: scheduled work is late.',
      runbookAnchor: 'due-queues',
    },
    {
      name: 'due-items',
      severity: 'ticket',
      metric: total(
        sum(METRIC_NAMESPACE, 'SweepFailures', { stage }),
        maximum(METRIC_NAMESPACE, 'SweepQuarantined', { stage }),
      ),
      threshold: 0,
      description:
        'Scheduled work on an item failed and is repeated with backoff, or failed ten times, so that it waits for an operator.',
      runbookAnchor: 'due-queues',
    },
  ];
}
