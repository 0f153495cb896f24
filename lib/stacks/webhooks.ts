import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Duration } from 'aws-cdk-lib/core';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { deliverySlots } from '../concurrency.ts';
import { PlatformFunction } from '../constructs/function.ts';
import { FailureQueue, MAX_RECEIVES, polls } from '../constructs/queues.ts';
import type { Use } from '../constructs/rights.ts';
import type { AppHostingStack } from './app-hosting.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';
import type { TableStack } from './table.ts';

/** Timeouts in seconds. SQS redelivers the message of a crashed function soon, because a receiver waits for the event. */
const DELIVERY_S = TIMEOUTS_S.delivery;

/** Returns the setting that allows webhooks to loopback addresses, which depends on the stage. */
export const receivers = ({ config }: Platform): Use => ({
  variables: { ALLOW_LOCAL_WEBHOOKS: String(config.allowLocalWebhooks) },
});

/** Webhook deliveries: the queue of attempts and the function that makes them. */
export class DeliveryStack extends PlatformStack {
  /** Lets operators read and remove failed messages. */
  readonly failures: Use;
  /** Sends attempts to the queue. */
  readonly queue: Use;
  readonly sender: PlatformFunction;
  readonly queueName: string;
  readonly stage: string;

  constructor(platform: Platform, table: TableStack, appHosting: AppHostingStack) {
    super(platform, 'delivery', 'Webhook deliveries: the queue of attempts and the function that makes them');
    const { config, names } = platform;
    this.addStackDependency(table);
    this.queueName = names.queue('deliveries');
    this.stage = config.stage;

    const failures = new FailureQueue(this, platform, 'delivery-failures', 'DELIVERY_FAILURES_URL');
    this.failures = failures.manage;
    // Standard queues. The message group of each message is its account, which makes the queues fair: if the messages of one account pile up,
    // those of other accounts are delivered first.
    const queueOf = (id: string, queueName: string) =>
      new Queue(this, id, {
        queueName,
        encryption: QueueEncryption.SQS_MANAGED,
        enforceSSL: true,
        visibilityTimeout: Duration.seconds(DELIVERY_S.visibility),
        retentionPeriod: Duration.days(14),
        deadLetterQueue: { queue: failures.queue, maxReceiveCount: MAX_RECEIVES },
      });
    const queue = queueOf('Queue', this.queueName);
    const slow = queueOf('SlowQueue', names.queue('slow-deliveries'));
    this.queue = {
      variables: { DELIVERY_QUEUE_URL: queue.queueUrl, SLOW_DELIVERY_QUEUE_URL: slow.queueUrl },
      rights: [{ actions: ['sqs:SendMessage'], on: [queue.queueArn, slow.queueArn] }],
    };

    this.sender = new PlatformFunction(this, platform, 'queue/deliverWebhook', {
      description: 'Attempts the webhook deliveries in the queue',
      timeout: DELIVERY_S.function,
      // Needs little memory, because it mostly waits for the receiver.
      memory: 256,
      uses: [
        table.read,
        table.write,
        appHosting.sign,
        receivers(platform),
        this.queue,
        { variables: { WEBHOOK_RETRY_SCHEDULE: config.webhookRetrySchedule } },
        { rights: [polls(queue, slow)] },
      ],
    });
    // One attempt per invocation, so that slots become free one by one: a batch would last as long as its slowest receiver
    // (docs/decisions/0060-hand-over.md).
    const attempts = (id: string, from: Queue, maxConcurrency: number) =>
      new EventSourceMapping(this, id, {
        target: this.sender.live,
        eventSourceArn: from.queueArn,
        batchSize: 1,
        maxConcurrency,
        reportBatchItemFailures: true,
      });
    const slots = deliverySlots(config.deliveryConcurrency);
    attempts('Attempts', queue, slots.main);
    attempts('SlowAttempts', slow, slots.slow);
  }
}
