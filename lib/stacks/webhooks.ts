import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Duration } from 'aws-cdk-lib/core';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { PlatformFunction } from '../constructs/function.ts';
import { FailureQueue } from '../constructs/queues.ts';
import type { Use } from '../constructs/rights.ts';
import type { AppHostingStack } from './app-hosting.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';
import type { TableStack } from './table.ts';

/** Seconds. SQS delivers the message of a crashed function again soon, because a receiver waits for the event. */
const DELIVERY_S = TIMEOUTS_S.delivery;

/** Returns the setting that allows webhooks to loopback addresses, which depends on the stage. */
export const receivers = ({ config }: Platform): Use => ({
  variables: { ALLOW_LOCAL_WEBHOOKS: String(config.allowLocalWebhooks) },
});

/** Webhook deliveries: the queue of attempts and the function that makes them. */
export class DeliveryStack extends PlatformStack {
  /** Lets operators see and remove what failed. */
  readonly failures: Use;
  /** Sends attempts to the queue. */
  readonly queue: Use;
  readonly sender: PlatformFunction;
  readonly queueName: string;
  readonly stage: string;

  constructor(platform: Platform, table: TableStack, hosting: AppHostingStack) {
    super(platform, 'delivery', 'Webhook deliveries: the queue of attempts and the function that makes them');
    const { config, names } = platform;
    this.addStackDependency(table);
    this.queueName = names.queue('deliveries');
    this.stage = config.stage;

    const failures = new FailureQueue(this, platform, 'delivery-failures', 'DELIVERY_FAILURES_URL');
    this.failures = failures.manage;
    // A standard queue. Each message carries its endpoint as the message group, which makes the queue fair: while a
    // slow receiver's messages pile up, the messages of other receivers go first.
    const queue = new Queue(this, 'Queue', {
      queueName: this.queueName,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      visibilityTimeout: Duration.seconds(DELIVERY_S.visibility),
      retentionPeriod: Duration.days(14),
      deadLetterQueue: { queue: failures.queue, maxReceiveCount: 10 },
    });
    this.queue = {
      variables: { DELIVERY_QUEUE_URL: queue.queueUrl },
      rights: [{ actions: ['sqs:SendMessage'], on: [queue.queueArn] }],
    };

    this.sender = new PlatformFunction(this, platform, 'queue/deliverWebhook', {
      description: 'Attempts the webhook deliveries in the queue',
      timeout: DELIVERY_S.function,
      memory: 512,
      uses: [
        table.read,
        table.write,
        hosting.sign,
        receivers(platform),
        this.queue,
        { variables: { WEBHOOK_RETRY_SCHEDULE: config.webhookRetrySchedule } },
        {
          rights: [
            {
              actions: [
                'sqs:ReceiveMessage',
                'sqs:DeleteMessage',
                'sqs:GetQueueAttributes',
                'sqs:ChangeMessageVisibility',
              ],
              on: [queue.queueArn],
            },
          ],
        },
      ],
    });
    new EventSourceMapping(this, 'Attempts', {
      target: this.sender.live,
      eventSourceArn: queue.queueArn,
      // The attempts of a batch run concurrently, so a batch takes as long as its slowest attempt. Small batches limit
      // that wait.
      batchSize: 10,
      maxConcurrency: config.deliveryConcurrency,
      reportBatchItemFailures: true,
    });
  }
}
