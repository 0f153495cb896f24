/** A message that failed after all its attempts. */
export interface FailedMessage {
  id: string;
  body: string;
  sentAt: Date;
  /** Removes the message, while it is hidden from others. */
  receipt: string;
  /** The function that a schedule could not invoke, and the reason; absent for messages of any other origin. */
  refused?: { functionArn: string; error: string };
}

/** A queue of failed messages. */
export interface FailureQueue {
  /** Returns the approximate number of messages. */
  count(): Promise<number>;
  /** Returns up to ten messages and hides them for a while, in seconds. */
  take(hiddenS: number): Promise<FailedMessage[]>;
  remove(message: FailedMessage): Promise<void>;
  /** Shows a message that was taken to others again. */
  release(message: FailedMessage): Promise<void>;
}

type CallSqs = <Output>(operation: string, input: object) => Promise<Output>;

/** A dead-letter event of EventBridge Scheduler has the target's input as its body, and the rest in these attributes. */
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

/** SQS, whose dead-letter queues are queues like any other. */
export const createFailureQueue = (callSqs: CallSqs, QueueUrl: string): FailureQueue => ({
  async count() {
    const input = { QueueUrl, AttributeNames: ['ApproximateNumberOfMessages'] };
    const { Attributes } = await callSqs<{ Attributes?: Record<string, string> }>('GetQueueAttributes', input);
    return Number(Attributes?.ApproximateNumberOfMessages ?? 0);
  },
  async take(VisibilityTimeout) {
    const MessageAttributeNames: SchedulerAttribute[] = ['TARGET_ARN', 'ERROR_MESSAGE'];
    const names = { AttributeNames: ['SentTimestamp'], MessageAttributeNames };
    const input = { QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout, ...names };
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
