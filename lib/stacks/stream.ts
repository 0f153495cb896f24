import { EventSourceMapping, FilterCriteria, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Duration } from 'aws-cdk-lib/core';
import { PlatformFunction } from '../constructs/function.ts';
import { FailureQueue } from '../constructs/queues.ts';
import type { AppHostingStack } from './app-hosting.ts';
import type { BillingStack } from './billing.ts';
import type { DoorsStack } from './custom-domains.ts';
import type { DatabasesStack } from './databases.ts';
import type { DeploymentsStack } from './deployments.ts';
import type { HostingStack } from './hosting.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';
import type { DomainsStack } from './registrar.ts';
import type { TableStack } from './table.ts';
import type { DeliveryStack } from './webhooks.ts';

/**
 * Items whose changes wake nobody, by their sort key: counting a request must not cost an invocation. Whatever is not named
 * here goes through (table/entities.ts; a test compares), and so do two kinds of change of what is named.
 */
export const SILENT_ITEMS = [
  ...['CREDENTIAL', 'LOGIN', 'VISITOR', 'ANSWER', 'EVENT', 'DELIVERY', 'SWEEP'],
  ...['GIT_ACCESS', 'PUSH'],
  ...['AI_ACCOUNT', 'AI_ENTRY', 'AI_AUDIT', 'AI_OFFER'],
  ...['INVOICE_NUMBERS', 'PLAN_OFFER'],
  ...['DOMAIN_OFFER', 'DOMAIN_NAME'],
];

/** Of events, that they happened: what is noted on one afterwards wakes nobody. */
const HAPPENED = { eventName: ['INSERT'], dynamodb: { Keys: { sk: { S: ['EVENT'] } } } };
/** Of deliveries, only those that somebody asked to have sent again: attempts are many, and nothing follows from them here. */
const RESENT = { dynamodb: { Keys: { sk: { S: ['DELIVERY'] } }, NewImage: { resendAt: { S: [{ exists: true }] } } } };

interface StreamNeighbours {
  table: TableStack;
  hosting: AppHostingStack;
  deployments: DeploymentsStack;
  delivery: DeliveryStack;
  panel: HostingStack;
  databases: DatabasesStack;
  domains: DomainsStack;
  doors: DoorsStack;
  billing: BillingStack;
}

/** The table's stream: where every side effect leaves from, at least once. */
export class StreamStack extends PlatformStack {
  readonly consumer: PlatformFunction;

  constructor(platform: Platform, neighbours: StreamNeighbours) {
    super(platform, 'stream', "The table's stream: every side effect leaves here");
    const { table, hosting, deployments, delivery, panel, databases, domains, doors, billing } = neighbours;
    this.addStackDependency(billing);
    const stream = table.table.tableStreamArn;
    if (!stream) throw new Error('the table has no stream');

    const failures = new FailureQueue(this, platform, 'stream-failures');
    this.consumer = new PlatformFunction(this, platform, 'stream/onTableChange', {
      description: 'Starts whatever must follow from a change to the table',
      timeout: 60,
      uses: [
        hosting.route,
        deployments.start,
        panel.settle,
        databases.make,
        domains.start,
        doors.keep,
        domains.mirror,
        // Fan-out: an event's endpoints are read, its deliveries written and queued.
        table.read,
        table.write,
        delivery.queue,
        billing.payments,
        failures.send,
        {
          rights: [
            { actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'], on: [stream] },
            { actions: ['dynamodb:ListStreams'], on: ['*'], wildcard: 'listing streams knows no resources' },
          ],
        },
      ],
    });
    new EventSourceMapping(this, 'TableChanges', {
      target: this.consumer.lambda,
      eventSourceArn: stream,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      // Different partition keys need not wait for each other; changes of one stay in order.
      parallelizationFactor: 10,
      // A batch that fails is tried again in halves until what fails stands alone; that goes to the queue and the stream
      // moves on. The reconciler does what was meant for a deployment that was lost so.
      bisectBatchOnError: true,
      retryAttempts: 20,
      maxRecordAge: Duration.hours(6),
      onFailure: new SqsDlq(failures.queue),
      filters: [{ dynamodb: { Keys: { sk: { S: [{ 'anything-but': SILENT_ITEMS }] } } } }, HAPPENED, RESENT].map(
        (pattern) => FilterCriteria.filter(pattern),
      ),
    });
  }
}
