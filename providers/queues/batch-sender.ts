/** One message of SQS as `SendMessageBatch` takes it, without its id, its body as the object that it is made of. */
export interface QueueEntry {
  message: object;
  MessageGroupId?: string;
  MessageAttributes?: Record<string, { DataType: 'String'; StringValue: string }>;
  DelaySeconds?: number;
}

export type CallSqs = <Output>(operation: string, input: object) => Promise<Output>;

/** Returns what a message carries beside its content: the id of the request that it belongs to. */
export type Origin = () => { requestId?: string };

/**
 * Returns a message's body: JSON in ASCII. SQS refuses U+FFFE and U+FFFF, which JSON leaves as they are, and the local run's
 * SQS each character outside the Basic Multilingual Plane.
 */
export const toMessageBody = (message: object): string =>
  JSON.stringify(message).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Messages that one call accepts. */
const BATCH_SIZE = 10;

interface SendResponse {
  Failed?: { Id: string; Code: string; Message?: string }[];
}

interface Waiting {
  entry: QueueEntry;
  resolve: () => void;
  reject: (error: Error) => void;
}

/**
 * Returns a function that sends a message to a queue. Messages that are sent at the same moment, by whatever part of the
 * process, travel together; each resolves or rejects alone.
 */
export function createBatchSender(callSqs: CallSqs, QueueUrl: string): (entry: QueueEntry) => Promise<void> {
  let waiting: Waiting[] = [];

  async function sendBatch(batch: readonly Waiting[]): Promise<void> {
    const Entries = batch.map(({ entry: { message, ...entry } }, index) => ({
      ...{ Id: String(index), MessageBody: toMessageBody(message) },
      ...entry,
    }));
    const { Failed = [] } = await callSqs<SendResponse>('SendMessageBatch', { QueueUrl, Entries });
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

  return (entry) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ entry, resolve, reject });
    });
}
