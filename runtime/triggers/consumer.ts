import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type * as z from 'zod/mini';
import { parseJson } from '../../contract/json.ts';
import { requestIdIn, withRequestId } from '../../table/correlation.ts';
import { log } from '../observability/log.ts';

/**
 * Creates the handler of a Lambda function for a queue. It processes the messages of a batch concurrently and independently. Only
 * failed messages return to the queue, which moves them to its dead-letter queue after its maximum number of receives.
 *
 * @param act processes a message, and resolves with log fields once all work for the message is done or stored
 */
export const consumer =
  <T>(schema: z.ZodMiniType<T>, act: (message: T) => Promise<Record<string, unknown>>) =>
  async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const failed = await Promise.all(
      Records.map(async ({ body, messageId, attributes }) => {
        const message = parseJson(body);
        return await withRequestId(requestIdIn(message), async () => {
          try {
            log.info('message done', await act(schema.parse(message)));
            return [];
          } catch (error) {
            log.error('message failed', error, { messageId, receives: Number(attributes.ApproximateReceiveCount) });
            return [{ itemIdentifier: messageId }];
          }
        });
      }),
    );
    return { batchItemFailures: failed.flat() };
  };
