/** A message that failed after all its attempts. */
export interface FailedMessage {
  id: string;
  body: string;
  sentAt: Date;
  /** Removes the message, while it is hidden from others. */
  receipt: string;
}

/** A queue of failed messages. */
export interface FailureQueue {
  /** Returns the approximate number of messages. */
  count(): Promise<number>;
  /** Returns up to ten messages and hides them for a while, in seconds. */
  take(hiddenS: number): Promise<FailedMessage[]>;
  remove(message: FailedMessage): Promise<void>;
}

type CallSqs = <Output>(operation: string, input: object) => Promise<Output>;

interface Received {
  Messages?: { MessageId: string; Body: string; ReceiptHandle: string; Attributes?: { SentTimestamp?: string } }[];
}

/** SQS, whose dead-letter queues are queues like any other. */
export const createFailureQueue = (callSqs: CallSqs, QueueUrl: string): FailureQueue => ({
  async count() {
    const input = { QueueUrl, AttributeNames: ['ApproximateNumberOfMessages'] };
    const { Attributes } = await callSqs<{ Attributes?: Record<string, string> }>('GetQueueAttributes', input);
    return Number(Attributes?.ApproximateNumberOfMessages ?? 0);
  },
  async take(VisibilityTimeout) {
    const input = { QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout, AttributeNames: ['SentTimestamp'] };
    const { Messages = [] } = await callSqs<Received>('ReceiveMessage', input);
    return Messages.map(({ MessageId: id, Body: body, ReceiptHandle: receipt, Attributes }) => ({
      ...{ id, body, receipt },
      sentAt: new Date(Number(Attributes?.SentTimestamp ?? 0)),
    }));
  },
  async remove({ receipt: ReceiptHandle }) {
    await callSqs('DeleteMessage', { QueueUrl, ReceiptHandle });
  },
});
