import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type * as z from 'zod/mini';
import { log } from '../observability/log.ts';

/**
 * One Lambda behind a queue: each message of a batch is parsed and acted on by itself, all at once. Those that failed go
 * back to the queue alone; the queue gives up on them after its number of receives.
 *
 * @param act resolves with what is to be logged, once everything that the message asks for is done or written down
 */
export const consumer =
  <T>(schema: z.ZodMiniType<T>, act: (message: T) => Promise<Record<string, unknown>>) =>
  async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const failed = await Promise.all(
      Records.map(async ({ body, messageId, attributes }) => {
        try {
          log.info('message done', await act(schema.parse(JSON.parse(body))));
          return [];
        } catch (error) {
          log.error('message failed', error, { messageId, receives: Number(attributes.ApproximateReceiveCount) });
          return [{ itemIdentifier: messageId }];
        }
      }),
    );
    return { batchItemFailures: failed.flat() };
  };
