import type { CallSqs } from './batch-sender.ts';

/** A message that failed all its attempts. */
export interface FailedMessage {
  id: string;
  body: string;
  sentAt: Date;
  /** The handle that removes or releases the message while it is hidden. */
  receipt: string;
  /** The function that a schedule could not invoke, and the error; absent for messages of other origins. */
  refused?: { functionArn: string; error: string };
}

/** A queue of failed messages. */
export interface FailureQueue {
  /** Returns the approximate number of messages. */
  count(): Promise<number>;
  /** Receives up to ten messages and hides them from other receivers. @param hiddenS seconds for which they are hidden */
  take(hiddenS: number): Promise<FailedMessage[]>;
  remove(message: FailedMessage): Promise<void>;
  /** Makes a received message visible to other receivers again. */
  release(message: FailedMessage): Promise<void>;
}

/** Attributes of a dead-letter event of EventBridge Scheduler. Its body is the target's input. */
type SchedulerAttribute = 'TARGET_ARN' | 'ERROR_MESSAGE';

interface Received {
  Messages?: {
    MessageId: string;
    Body: string;
    ReceiptHandle: string;
    Attributes?: { SentTimestamp?: string };
    MessageAttributes?: Partial<Record<SchedulerAttribute, { StringValue?: string }>>;
  }[];
}

type ReceivedMessage = NonNullable<Received['Messages']>[number];

/** https://docs.aws.amazon.com/scheduler/latest/UserGuide/configuring-schedule-dlq.html */
function refusedBy({ MessageAttributes }: ReceivedMessage): Pick<FailedMessage, 'refused'> {
  const functionArn = MessageAttributes?.TARGET_ARN?.StringValue;
  const error = MessageAttributes?.ERROR_MESSAGE?.StringValue ?? 'not invoked';
  return functionArn === undefined ? {} : { refused: { functionArn, error } };
}

/**
 * Seconds for which SQS waits for a message: longer than a list hides its messages. Without a wait SQS asks only some of its servers, so
 * that a short queue can look empty
 * (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-short-and-long-polling.html).
 */
const WaitTimeSeconds = 2;

/** SQS implementation: a dead-letter queue is an ordinary queue. */
export const createFailureQueue = (callSqs: CallSqs, QueueUrl: string): FailureQueue => ({
  async count() {
    const input = { QueueUrl, AttributeNames: ['ApproximateNumberOfMessages'] };
    const { Attributes } = await callSqs<{ Attributes?: Record<string, string> }>('GetQueueAttributes', input);
    return Number(Attributes?.ApproximateNumberOfMessages ?? 0);
  },
  async take(VisibilityTimeout) {
    const MessageAttributeNames: SchedulerAttribute[] = ['TARGET_ARN', 'ERROR_MESSAGE'];
    const names = { AttributeNames: ['SentTimestamp'], MessageAttributeNames };
    const input = { QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout, WaitTimeSeconds, ...names };
    const { Messages = [] } = await callSqs<Received>('ReceiveMessage', input);
    return Messages.map((message) => ({
      id: message.MessageId,
      body: message.Body,
      receipt: message.ReceiptHandle,
      sentAt: new Date(Number(message.Attributes?.SentTimestamp ?? 0)),
      ...refusedBy(message),
    }));
  },
  async remove({ receipt: ReceiptHandle }) {
    await callSqs('DeleteMessage', { QueueUrl, ReceiptHandle });
  },
  async release({ receipt: ReceiptHandle }) {
    await callSqs('ChangeMessageVisibility', { QueueUrl, ReceiptHandle, VisibilityTimeout: 0 });
  },
});
