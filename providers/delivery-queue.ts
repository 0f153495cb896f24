/** What is to be attempted: ids only. */
export interface DeliveryMessage {
  accountId: string;
  webhookId: string;
  deliveryId: string;
  /** The attempt this is for: stale once the delivery has recorded it. */
  serial: number;
}

export interface Queued {
  message: DeliveryMessage;
  /** Seconds until it may be received, at most {@link DELAY_MOST}. */
  delay: number;
}

export interface DeliveryQueue {
  /** Sends any number of messages; throws if one could not be sent. */
  send(queued: readonly Queued[]): Promise<void>;
}

/** The longest delay a message can have, in seconds. */
export const DELAY_MOST = 900;
/** What one call takes. */
const BATCH = 10;

type CallSqs = <Output>(operation: string, input: object) => Promise<Output>;

interface SendAnswer {
  Failed?: { Id: string; Code: string; Message?: string }[];
}

/** SQS. The endpoint is each message's group: on a standard queue that makes the queue fair, so that one slow receiver
 * with many messages does not keep the others waiting. */
export function createDeliveryQueue(callSqs: CallSqs, QueueUrl: string): DeliveryQueue {
  return {
    async send(queued) {
      for (let from = 0; from < queued.length; from += BATCH) {
        const Entries = queued.slice(from, from + BATCH).map(({ message, delay }, index) => ({
          Id: String(index),
          MessageBody: JSON.stringify(message),
          MessageGroupId: message.webhookId,
          // Beside the group, for a consumer that has to be fair itself: the local run's SQS forgets a standard queue's groups.
          MessageAttributes: { group: { DataType: 'String', StringValue: message.webhookId } },
          DelaySeconds: Math.min(DELAY_MOST, Math.max(0, Math.ceil(delay))),
        }));
        const { Failed = [] } = await callSqs<SendAnswer>('SendMessageBatch', { QueueUrl, Entries });
        const [first] = Failed;
        if (first) throw new Error(`SQS took all but ${Failed.length} messages: ${first.Code} ${first.Message ?? ''}`);
      }
    },
  };
}
