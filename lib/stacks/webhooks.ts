import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Duration } from 'aws-cdk-lib/core';
import { PlatformFunction } from '../constructs/function.ts';
import { FailureQueue } from '../constructs/queues.ts';
import type { Use } from '../constructs/rights.ts';
import type { AppHostingStack } from './app-hosting.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';
import type { TableStack } from './table.ts';

/** An attempt takes 10 s at most, and what is read and written around it a few more. */
const ATTEMPT_SECONDS = 25;
/** A message whose function died comes back after this: soon, for somebody waits for it. */
const VISIBLE_AGAIN = 30;

/** Where webhooks may be sent to: a property of the stage. */
export const receivers = ({ config }: Platform): Use => ({
  variables: { ALLOW_LOCAL_WEBHOOKS: String(config.allowLocalWebhooks) },
});

/** Webhook deliveries: the queue of attempts and the function that makes them. */
export class DeliveryStack extends PlatformStack {
  /** Putting attempts into the queue. */
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

    const failures = new FailureQueue(this, platform, 'delivery-failures');
    // A standard queue. Each message names its endpoint as its group, which makes the queue fair: while one receiver
    // hangs and its messages pile up, those of the others go first.
    const queue = new Queue(this, 'Queue', {
      queueName: this.queueName,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      visibilityTimeout: Duration.seconds(VISIBLE_AGAIN),
      retentionPeriod: Duration.days(14),
      deadLetterQueue: { queue: failures.queue, maxReceiveCount: 10 },
    });
    this.queue = {
      variables: { DELIVERY_QUEUE_URL: queue.queueUrl },
      rights: [{ actions: ['sqs:SendMessage'], on: [queue.queueArn] }],
    };

    this.sender = new PlatformFunction(this, platform, 'queue/deliverWebhook', {
      description: 'Makes the attempts at webhook deliveries that the queue asks for',
      timeout: ATTEMPT_SECONDS,
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
      target: this.sender.lambda,
      eventSourceArn: queue.queueArn,
      // Attempts of a batch are made at once, so a batch takes as long as its slowest: small ones, and many of them.
      batchSize: 10,
      maxConcurrency: config.deliveryConcurrency,
      reportBatchItemFailures: true,
    });
  }
}
