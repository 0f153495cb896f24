import {
  type CallSqs,
  createBatchSender,
  type Origin,
  type QueueEntry,
  toMessageBody,
} from '../queues/batch-sender.ts';

/** The content of a delivery, which every attempt sends. Contains no other data of the account. */
export interface DeliveryContent {
  /** The event's type. */
  type: string;
  createdAt: string;
  body: string;
}

/** A requested attempt. It contains no secrets: signing secrets and receivers' URLs stay in the table. */
export interface DeliveryMessage {
  accountId: string;
  webhookId: string;
  eventId: string;
  deliveryId: string;
  /** The requested step. The message is stale once the delivery has recorded this step. */
  step: number;
  /** Set for a first attempt, so that its event need not be read; absent if it is too large for a message ({@link fitsMessage}). */
  content?: DeliveryContent | undefined;
  /**
   * Set for a first attempt that may settle its event: the event's other deliveries, and whether it belongs to a feed. Absent if the
   * reconciler settles the event.
   */
  settles?: { others: string[]; inFeed: boolean } | undefined;
  /** True for a message of the slow lane, whose endpoint has been slow for long. */
  slow?: true | undefined;
}

/** Maximum content in a message; larger content stays in the table. Ten messages with their ids must fit into one call (256 KiB). */
const MAX_CONTENT_BYTES = 16 * 1024;

/** Returns true if a message can carry the content. */
export const fitsMessage = (content: DeliveryContent): boolean => toMessageBody(content).length <= MAX_CONTENT_BYTES;

export interface Queued {
  message: DeliveryMessage;
  /** Seconds until the message may be received, at most {@link MAX_DELAY_SECONDS}. */
  delay: number;
}

export interface DeliveryQueue {
  /** Sends any number of messages. Throws if a message could not be sent. */
  send(queued: readonly Queued[]): Promise<void>;
}

/** Maximum delay of a message, in seconds. */
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
  // Repeats the group for the local run, whose SQS drops the groups of standard queues: its consumer implements the fairness.
  MessageAttributes: { group: attribute(message.accountId), subgroup: attribute(message.webhookId) },
  DelaySeconds: Math.min(MAX_DELAY_SECONDS, Math.max(0, Math.ceil(delay))),
});

/**
 * SQS implementation. The account is the message group, which makes a standard queue fair: an account with many messages does not delay the
 * others. Messages that are sent at the same time share a call.
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
          // The origin is read here, because the batch may contain messages of several requests.
          (message.slow ? slow : main)(toEntry({ message: { ...message, ...origin() }, delay })),
        ),
      );
    },
  };
}
