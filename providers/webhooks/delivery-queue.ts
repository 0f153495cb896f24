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
}

/** Content larger than this stays in the table: ten messages and their ids must fit into one call (256 KiB). */
const MAX_CONTENT_BYTES = 16 * 1024;

/** Tells whether a message can carry content. SQS refuses two characters that JSON does not escape. */
export function fitsMessage(content: DeliveryContent): boolean {
  const text = JSON.stringify(content);
  return Buffer.byteLength(text) <= MAX_CONTENT_BYTES && !/[\ufffe\uffff]/.test(text);
}

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
/** Messages that one call accepts. */
const BATCH_SIZE = 10;

/** Returns what a message carries beside its content: the id of the request that it belongs to. */
type Origin = () => { requestId?: string };

type CallSqs = <Output>(operation: string, input: object) => Promise<Output>;

interface SendResponse {
  Failed?: { Id: string; Code: string; Message?: string }[];
}

interface Waiting extends Queued {
  resolve: () => void;
  reject: (error: Error) => void;
}

const toEntry = ({ message, delay }: Queued, index: number) => ({
  Id: String(index),
  MessageBody: JSON.stringify(message),
  MessageGroupId: message.webhookId,
  // Beside the group, for a consumer that has to be fair itself: the local run's SQS forgets a standard queue's groups.
  MessageAttributes: { group: { DataType: 'String', StringValue: message.webhookId } },
  DelaySeconds: Math.min(MAX_DELAY_SECONDS, Math.max(0, Math.ceil(delay))),
});

/**
 * SQS. The endpoint is each message's group: on a standard queue that makes the queue fair, so that one slow receiver with
 * many messages does not keep the others waiting. What is sent at the same moment, by whomever, travels together.
 */
export function createDeliveryQueue(callSqs: CallSqs, QueueUrl: string, origin: Origin = () => ({})): DeliveryQueue {
  let waiting: Waiting[] = [];

  async function sendBatch(batch: readonly Waiting[]): Promise<void> {
    const { Failed = [] } = await callSqs<SendResponse>('SendMessageBatch', { QueueUrl, Entries: batch.map(toEntry) });
    const refused = new Map(Failed.map(({ Id, Code, Message = '' }) => [Id, `${Code} ${Message}`]));
    for (const [index, { resolve, reject }] of batch.entries()) {
      const why = refused.get(String(index));
      if (why === undefined) resolve();
      else reject(new Error(`SQS took all but ${Failed.length} messages: ${why}`));
    }
  }

  function flush(): void {
    const all = waiting;
    waiting = [];
    for (let from = 0; from < all.length; from += BATCH_SIZE) {
      const batch = all.slice(from, from + BATCH_SIZE);
      sendBatch(batch).catch((error: Error) => {
        for (const { reject } of batch) reject(error);
      });
    }
  }

  const sendOne = (queued: Queued): Promise<void> =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      // Now: the batch is sent for several requests at once.
      waiting.push({ ...queued, message: { ...queued.message, ...origin() }, resolve, reject });
    });

  return {
    send: async (queued) => {
      await Promise.all(queued.map(sendOne));
    },
  };
}
