import { EventSourceMapping, FilterCriteria, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Duration } from 'aws-cdk-lib/core';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { STREAM } from '../concurrency.ts';
import { PlatformFunction } from '../constructs/function.ts';
import { FailureQueue } from '../constructs/queues.ts';
import type { Use } from '../constructs/rights.ts';
import type { HandOverStack } from './hand-over.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';
import type { DomainsStack } from './registrar.ts';
import type { TableStack } from './table.ts';
import type { DeliveryStack } from './webhooks.ts';

/**
 * Types of items whose changes invoke the stream's consumer, by kind of change: those for which there are rules (events/; a test compares
 * them). Other changes, such as counted requests and the writes of the rules themselves, must not cost an invocation.
 */
const CONSUMED = {
  INSERT: [
    'ACCOUNT',
    'KEY',
    'AUDIT',
    'APP',
    'DATABASE',
    'DEPLOYMENT',
    'QUEUED_BUILD',
    'DOMAIN',
    'DOOR',
    'WALLET_TRANSACTION',
    'INVOICE',
    'SUBSCRIPTION',
    'TOP_UP',
    'DISPUTE',
    'WEBHOOK',
    'EVENT',
    'NOTIFICATION',
    'MOVE',
    'TEAM',
  ],
  MODIFY: [
    'ACCOUNT',
    'APP',
    'DATABASE',
    'DEPLOYMENT',
    'DOMAIN',
    'DOOR',
    'ZONE',
    'HOSTING_DOMAIN',
    'INVOICE',
    'SUBSCRIPTION',
    'DISPUTE',
    'ACCOUNT_EXPORT',
    'TEAM',
  ],
  REMOVE: ['NEXT_BUILD'],
};

const changed = (eventName: keyof typeof CONSUMED, image: 'NewImage' | 'OldImage') => ({
  eventName: [eventName],
  dynamodb: { [image]: { entity: { S: CONSUMED[eventName] } } },
});
const present = { S: [{ exists: true }] };

/** Patterns of the stream's filter, of which AWS allows five. */
const PATTERNS = [
  changed('INSERT', 'NewImage'),
  changed('MODIFY', 'NewImage'),
  changed('REMOVE', 'OldImage'),
  // Of deliveries, only those with a requested resend, because there are many attempts.
  { dynamodb: { NewImage: { entity: { S: ['DELIVERY'] }, resendAt: present } } },
  // Of changes to endpoints, only those whose deliveries were held, because each failed attempt also changes the endpoint's failure count.
  { eventName: ['MODIFY'], dynamodb: { OldImage: { entity: { S: ['WEBHOOK'] }, heldSince: present } } },
];

interface StreamNeighbors {
  table: TableStack;
  delivery: DeliveryStack;
  domains: DomainsStack;
  jobQueues: HandOverStack;
}

/** The table's stream, the source of every side effect, with at-least-once processing. */
export class StreamStack extends PlatformStack {
  /** Lets operators read and remove failed changes. */
  readonly failures: Use;
  /** Lets operators replay changes to the consumer. */
  readonly replay: Use;
  readonly consumer: PlatformFunction;

  constructor(platform: Platform, neighbors: StreamNeighbors) {
    super(platform, 'stream', "The table's stream: every side effect starts here");
    const { table, delivery, domains, jobQueues } = neighbors;
    this.addStackDependency(jobQueues);
    const stream = table.streamArn;

    const failures = new FailureQueue(this, platform, 'stream-failures', 'STREAM_FAILURES_URL');
    this.failures = failures.manage;
    this.consumer = new PlatformFunction(this, platform, 'stream/onTableChange', {
      description: 'Starts the side effects of a change to the table',
      timeout: TIMEOUTS_S.stream,
      uses: [
        // Only the table and queues: work at external services is handed over.
        table.read,
        table.due,
        table.write,
        table.putBatch,
        delivery.queue,
        domains.syncZones,
        jobQueues.send,
        failures.send,
        {
          rights: [
            { actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'], on: [stream] },
            {
              actions: ['dynamodb:ListStreams'],
              on: ['*'],
              wildcard: 'listing streams has no resource-level permissions',
            },
          ],
        },
      ],
    });
    this.replay = {
      rights: [
        { actions: ['dynamodb:GetRecords', 'dynamodb:GetShardIterator'], on: [stream] },
        this.consumer.invocation,
      ],
    };
    new EventSourceMapping(this, 'TableChanges', {
      target: this.consumer.live,
      eventSourceArn: stream,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: STREAM.batchSize,
      // Different partition keys are processed in parallel; changes to one key stay in order.
      parallelizationFactor: STREAM.lanesOfShard,
      // A failing batch is retried in halves until only the failing record remains. That record goes to the failure queue, and the stream
      // continues. The reconciler repeats the work of a deployment that was lost this way.
      bisectBatchOnError: true,
      retryAttempts: 20,
      maxRecordAge: Duration.hours(6),
      onFailure: new SqsDlq(failures.queue),
      filters: PATTERNS.map((pattern) => FilterCriteria.filter(pattern)),
    });
  }
}
