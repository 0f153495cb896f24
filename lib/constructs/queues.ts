import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Duration, Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { Platform } from '../stacks/platform-stack.ts';
import type { Use } from './rights.ts';

/** Where one asynchronous path puts what it gave up on. Anything in it is an alarm (lib/operations.ts). */
export class FailureQueue extends Construct {
  readonly queue: Queue;
  readonly queueName: string;
  /** The right to put something in. */
  readonly send: Use;

  constructor(scope: Construct, { names }: Platform, name: string) {
    super(scope, 'Failures');
    this.queueName = names.queue(name);
    this.queue = new Queue(this, 'Queue', {
      queueName: this.queueName,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    this.send = { rights: [{ actions: ['sqs:SendMessage'], on: [this.queue.queueArn] }] };
    Validations.of(this.queue).acknowledge({ id: 'AwsSolutions-SQS3', reason: 'it is a dead-letter queue itself' });
  }
}
