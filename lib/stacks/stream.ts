import { EventSourceMapping, FilterCriteria, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Duration } from 'aws-cdk-lib/core';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { PlatformFunction } from '../constructs/function.ts';
import { FailureQueue } from '../constructs/queues.ts';
import type { Use } from '../constructs/rights.ts';
import type { AppHostingStack } from './app-hosting.ts';
import type { BillingStack } from './billing.ts';
import type { BuildsStack } from './builds.ts';
import type { CustomDomainsStack } from './custom-domains.ts';
import type { DatabasesStack } from './databases.ts';
import type { DeploymentsStack } from './deployments.ts';
import type { HostingStack } from './hosting.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';
import type { DomainsStack } from './registrar.ts';
import type { TableStack } from './table.ts';
import type { DeliveryStack } from './webhooks.ts';

/**
 * Sort keys of items whose changes do not invoke the stream's consumer: counting a request must not cost an invocation.
 * All other items pass (table/entities/; a test compares), and so do two kinds of changes to the items listed here.
 */
export const SILENT_ITEMS = [
  ...['CREDENTIAL', 'LOGIN', 'VISITOR', 'ANSWER', 'EVENT', 'DELIVERY', 'ATTEMPT', 'SWEEP', 'EVENT_FEED', 'FEED_ENTRY'],
  ...['GIT_ACCESS', 'PUSH', 'BUILD_QUEUE', 'CHECKS'],
  ...['AI_ACCOUNT', 'AI_ENTRY', 'AI_USAGE', 'AI_AUDIT', 'AI_OFFER', 'AI_KEY_CALLS'],
  ...['INVOICE_NUMBERS', 'PLAN_OFFER'],
  ...['DOMAIN_OFFER', 'DOMAIN_NAME', 'FAILED_REQUEST', 'SWITCH_STATE'],
];

/** New events pass; later changes to an event do not. */
const HAPPENED = { eventName: ['INSERT'], dynamodb: { Keys: { sk: { S: ['EVENT'] } } } };
/** Of deliveries, only those with a requested resend pass. Attempts are many and have no effect here. */
const RESENT = { dynamodb: { Keys: { sk: { S: ['DELIVERY'] } }, NewImage: { resendAt: { S: [{ exists: true }] } } } };

interface StreamNeighbours {
  table: TableStack;
  hosting: AppHostingStack;
  builds: BuildsStack;
  deployments: DeploymentsStack;
  delivery: DeliveryStack;
  panel: HostingStack;
  databases: DatabasesStack;
  domains: DomainsStack;
  customDomains: CustomDomainsStack;
  billing: BillingStack;
}

/** The table's stream, the source of every side effect, with at-least-once processing. */
export class StreamStack extends PlatformStack {
  /** Lets operators see and remove what failed. */
  readonly failures: Use;
  /** Lets operators have the consumer receive changes again. */
  readonly replay: Use;
  readonly consumer: PlatformFunction;

  constructor(platform: Platform, neighbours: StreamNeighbours) {
    super(platform, 'stream', "The table's stream: every side effect starts here");
    const { table, hosting, builds, deployments, delivery, panel, databases, domains, customDomains, billing } =
      neighbours;
    this.addStackDependency(billing);
    const stream = table.table.tableStreamArn;
    if (!stream) throw new Error('The table has no stream');

    const failures = new FailureQueue(this, platform, 'stream-failures', 'STREAM_FAILURES_URL');
    this.failures = failures.manage;
    this.consumer = new PlatformFunction(this, platform, 'stream/onTableChange', {
      description: 'Starts the side effects of a change to the table',
      timeout: TIMEOUTS_S.stream,
      uses: [
        hosting.route,
        hosting.access,
        deployments.start,
        builds.discardJob,
        panel.reconcile,
        databases.work,
        domains.start,
        customDomains.reconcile,
        domains.syncZones,
        // Fan-out reads an event's endpoints, then writes and queues its deliveries.
        table.read,
        table.due,
        table.write,
        delivery.queue,
        billing.payments,
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
      target: this.consumer.lambda,
      eventSourceArn: stream,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      // Different partition keys are processed in parallel; changes to one key stay in order.
      parallelizationFactor: 10,
      // A failing batch is retried in halves until the failing record stands alone. That record goes to the failure
      // queue and the stream moves on. The reconciler repeats the work of a deployment that was lost this way.
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
