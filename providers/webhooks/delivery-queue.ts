import {
  type CallSqs,
  createBatchSender,
  type Origin,
  type QueueEntry,
  toMessageBody,
} from '../queues/batch-sender.ts';

/** Content of a delivery: what every attempt sends, and nothing else of the account. */
export interface DeliveryContent {
  /** The event's type. */
  type: string;
  createdAt: string;
  body: string;
}

/** An attempt to be made. It holds nothing secret: signing secrets and receivers' addresses stay in the table. */
export interface DeliveryMessage {
  accountId: string;
  webhookId: string;
  eventId: string;
  deliveryId: string;
  /** The step this asks for: stale once the delivery has recorded it. */
  step: number;
  /** With a first attempt, so that its event need not be read; absent where a message cannot carry it ({@link fitsMessage}). */
  content?: DeliveryContent | undefined;
  /**
   * With a first attempt that may settle its event: the event's other deliveries, and whether it belongs to a feed. Absent where
   * the reconciler settles it.
   */
  settles?: { others: string[]; inFeed: boolean } | undefined;
  /** True for a message of the slow lane: its endpoint has been slow for long. */
  slow?: true | undefined;
}

/** Content larger than this stays in the table: ten messages and their ids must fit into one call (256 KiB). */
const MAX_CONTENT_BYTES = 16 * 1024;

/** Tells whether a message can carry content. */
export const fitsMessage = (content: DeliveryContent): boolean => toMessageBody(content).length <= MAX_CONTENT_BYTES;

export interface Queued {
  message: DeliveryMessage;
  /** Seconds until it may be received, at most {@link MAX_DELAY_SECONDS}. */
  delay: number;
}

export interface DeliveryQueue {
  /** Sends any number of messages; throws if one could not be sent. */
  send(queued: readonly Queued[]): Promise<void>;
}

/** The longest delay a message can have, in seconds. */
export const MAX_DELAY_SECONDS = 900;
/** The queues of deliveries: one for all endpoints, and one for those that have been slow for long. */
export interface DeliveryQueueUrls {
  main: string;
  slow: string;
}

const attribute = (StringValue: string) => ({ DataType: 'String' as const, StringValue });

const toEntry = ({ message, delay }: Queued): QueueEntry => ({
  message,
  MessageGroupId: message.accountId,
  // Beside the group, for a consumer that has to be fair itself: the local run's SQS forgets a standard queue's groups.
  MessageAttributes: { group: attribute(message.accountId), subgroup: attribute(message.webhookId) },
  DelaySeconds: Math.min(MAX_DELAY_SECONDS, Math.max(0, Math.ceil(delay))),
});

/**
 * SQS. The account is each message's group: on a standard queue that makes the queue fair, so that one account with many
 * messages does not keep the others waiting. Messages that are sent at the same moment travel together.
 */
export function createDeliveryQueue(
  callSqs: CallSqs,
  urls: DeliveryQueueUrls,
  origin: Origin = () => ({}),
): DeliveryQueue {
  const main = createBatchSender(callSqs, urls.main);
  const slow = createBatchSender(callSqs, urls.slow);
  return {
    send: async (queued) => {
      await Promise.all(
        queued.map(({ message, delay }) =>
          // The origin of this moment: the batch is sent for several requests at once.
          (message.slow ? slow : main)(toEntry({ message: { ...message, ...origin() }, delay })),
        ),
      );
    },
  };
}
