import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Duration, Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { Platform } from '../stacks/platform-stack.ts';
import type { Right, Use } from './rights.ts';

/** Returns the right to read queues and to delete their messages. A consumer needs it, because Lambda polls with the function's role. */
export const polls = (...queues: Queue[]): Right => ({
  actions: ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes', 'ChangeMessageVisibility'].map(
    (action) => `sqs:${action}`,
  ),
  on: queues.map(({ queueArn }) => queueArn),
});

/** Number of receives after which a failed message moves to the failure queue. */
export const MAX_RECEIVES = 10;

/**
 * A dead-letter queue for the failed work of one asynchronous path. Any message in it raises an alarm
 * (lib/stacks/operations-alarms.ts).
 */
export class FailureQueue extends Construct {
  readonly queue: Queue;
  readonly queueName: string;
  /** Permission to send a message to the queue. */
  readonly send: Use;
  /** Permission to count, read and remove its messages. */
  readonly manage: Use;

  constructor(scope: Construct, { names }: Platform, name: string, variable: string, id = 'Failures') {
    super(scope, id);
    this.queueName = names.queue(name);
    this.queue = new Queue(this, 'Queue', {
      queueName: this.queueName,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    this.send = { rights: [{ actions: ['sqs:SendMessage'], on: [this.queue.queueArn] }] };
    this.manage = {
      variables: { [variable]: this.queue.queueUrl },
      rights: [polls(this.queue)],
    };
    Validations.of(this.queue).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: 'this queue is itself a dead-letter queue',
    });
  }
}
