import { coalesce } from '../../contract/coalesce.ts';

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

/**
 * Returns a function that sends a message to a queue. Messages that are sent at the same moment, by whatever part of the
 * process, travel together; each resolves or rejects alone.
 */
export function createBatchSender(callSqs: CallSqs, QueueUrl: string): (entry: QueueEntry) => Promise<void> {
  async function sendBatch(batch: readonly QueueEntry[]): Promise<(Promise<void> | undefined)[]> {
    const Entries = batch.map(({ message, ...entry }, index) => ({
      Id: String(index),
      MessageBody: toMessageBody(message),
      ...entry,
    }));
    const { Failed = [] } = await callSqs<SendResponse>('SendMessageBatch', { QueueUrl, Entries });
    const refused = new Map(Failed.map(({ Id, Code, Message = '' }) => [Id, `${Code} ${Message}`]));
    return batch.map((_, index) => {
      const why = refused.get(String(index));
      if (why === undefined) return undefined;
      return Promise.reject(new Error(`SQS took all but ${Failed.length} messages: ${why}`));
    });
  }

  return coalesce({ max: BATCH_SIZE, run: sendBatch });
}
