import { coalesce } from '../../contract/coalesce.ts';

/** An entry of `SendMessageBatch` without its id, and with its body as an object. */
export interface QueueEntry {
  message: object;
  MessageGroupId?: string;
  MessageAttributes?: Record<string, { DataType: 'String'; StringValue: string }>;
  DelaySeconds?: number;
}

export type CallSqs = <Output>(operation: string, input: object) => Promise<Output>;

/** Returns the metadata of a message: the id of the request that caused it. */
export type Origin = () => { requestId?: string };

/**
 * Returns a message's body as ASCII JSON. SQS refuses U+FFFE and U+FFFF, which JSON does not escape, and the local run's SQS refuses all
 * characters outside the Basic Multilingual Plane.
 */
export const toMessageBody = (message: object): string =>
  JSON.stringify(message).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Maximum messages of one call. */
const BATCH_SIZE = 10;

interface SendResponse {
  Failed?: { Id: string; Code: string; Message?: string }[];
}

/**
 * Returns a function that sends a message to a queue. Messages that are sent at the same time anywhere in the process share a call; the
 * promise of each message resolves or rejects separately.
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
      const reason = refused.get(String(index));
      if (reason === undefined) return undefined;
      return Promise.reject(new Error(`SQS refused ${Failed.length} of ${batch.length} messages: ${reason}`));
    });
  }

  return coalesce({ max: BATCH_SIZE, run: sendBatch });
}
