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
 * Alarms are about what the platform's users notice: a response, a deployment, a delivery, work that is late or lost. A
 * function has none of its own where its failure reaches one of these (test/template/guarantees.test.ts); each metric of
 * an alarm costs. What customers do wrong counts in none. Those on service levels are in
 * service-level-alarms.ts, those on what the platform measures itself in measured-alarms.ts.
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

export function alarmsForTable({ config, names }: Platform): Alarm[] {
  const TableName = names.table.name;
  // Those of the table are without its indexes. With basic monitoring, what they refuse is seen as errors of the API and a stream that is behind.
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
      metric: total(...parts.flatMap((of) => throttles.map((name) => sum('AWS/DynamoDB', name, of)))),
      threshold: 10,
      description: 'DynamoDB throttled requests: a hot key or a jump in traffic.',
      runbookAnchor: 'table-throttles',
    },
  ];
}
