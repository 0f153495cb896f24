import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';
import { type Alarm, allReach, exceeding, MAX_METRICS_PER_ALARM, maximum, sum, total } from '../constructs/alarms.ts';
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
import { INDEXES } from './table.ts';
import { DeliveryStack } from './webhooks.ts';

/**
 * Alarms on symptoms that users notice: a response, a deployment, a delivery, or work that is late or lost. A function has no alarm of its own
 * if its failures raise one of these (test/template/guarantees.test.ts), because each metric of an alarm has a price. Mistakes of customers
 * raise no alarm. Alarms on service levels are in service-level-alarms.ts, those on the platform's own metrics in measured-alarms.ts.
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

/** Returns alarms on all constructs of a kind, grouped into as few alarms as the maximum of metrics per alarm allows. */
function inGroups<T>(
  constructs: readonly unknown[],
  kind: new (...given: never[]) => T,
  metricsOfOne: number,
  alarm: (group: readonly T[], suffix: string) => Alarm,
): Alarm[] {
  const found = constructs.filter((construct): construct is T => construct instanceof kind);
  const size = Math.floor(MAX_METRICS_PER_ALARM / metricsOfOne);
  return Array.from({ length: Math.ceil(found.length / size) }, (_, index) =>
    alarm(found.slice(index * size, (index + 1) * size), index === 0 ? '' : `-${index + 1}`),
  );
}

/** Returns the alarm on all failure queues together. The queues themselves show which one has messages. */
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

/**
 * Returns the alarm on all state machines together. Aborted executions do not count, because only the platform aborts executions: when an
 * application is deleted or suspended.
 */
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

/** Returns the alarm on the streaming function, which needs its own because there is no API in front of it whose errors are counted. */
function alarmsForChat({ chat: { functionName: FunctionName } }: AiStack): Alarm[] {
  return [
    {
      name: 'ai-errors',
      severity: 'ticket',
      metric: total(
        sum('AWS/Lambda', 'Errors', { FunctionName }),
        // More concurrent calls than the function's concurrency.
        sum('AWS/Lambda', 'Throttles', { FunctionName }),
      ),
      threshold: 0,
      description: 'An invocation of the AI gateway crashed, timed out or was throttled.',
      runbookAnchor: 'function-errors',
    },
  ];
}

const visible = (QueueName: string) => maximum('AWS/SQS', 'ApproximateNumberOfMessagesVisible', { QueueName });

/** Returns the alarm on all job queues together. The queues themselves show which one is behind. */
const alarmsForJobs = ({ queueNames, mailQueueName }: HandOverStack): Alarm[] => [
  {
    name: 'jobs-behind',
    severity: 'page',
    metric: exceeding(
      ...queueNames.map((QueueName): [Metric, number] => [
        maximum('AWS/SQS', 'ApproximateAgeOfOldestMessage', { QueueName }),
        300,
      ]),
      // Emails wait on purpose for the end of their hour, so only their number counts, and only of those that could be sent.
      ...(mailQueueName === undefined ? [] : [[visible(mailQueueName), 1000] satisfies [Metric, number]]),
    ),
    threshold: 0,
    periods: 2,
    description:
      'Routes, payments or workflows wait for more than 5 minutes, or more than 1,000 emails wait: an external service is unavailable or refuses.',
    runbookAnchor: 'jobs-behind',
  },
];

/** Returns the alarm on scheduled jobs, which run once a minute. Nothing else would show that a job has stopped. */
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

/** Returns the alarm on the API's errors, for installations without alarms on service levels. */
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

/** Returns the alarm on throttled requests of the table and, with full monitoring, of its indexes. */
export function alarmsForTable({ config, names }: Platform): Alarm[] {
  const TableName = names.table.name;
  // The table's metrics do not include its indexes. With basic monitoring, throttled indexes show as API errors and as a stream that is behind.
  const indexes = config.monitoring === 'full' ? INDEXES : [];
  const parts = [
    { TableName },
    ...indexes.map(({ indexName: GlobalSecondaryIndexName }) => ({ TableName, GlobalSecondaryIndexName })),
  ];
  const throttles = ['ReadThrottleEvents', 'WriteThrottleEvents'];
  return [
    {
      name: 'table-throttles',
      severity: 'ticket',
      metric: total(...parts.flatMap((dimensions) => throttles.map((name) => sum('AWS/DynamoDB', name, dimensions)))),
      threshold: 10,
      description: 'DynamoDB throttled requests: a hot key or a jump in traffic.',
      runbookAnchor: 'table-throttles',
    },
  ];
}
