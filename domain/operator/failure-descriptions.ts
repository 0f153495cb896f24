import * as z from 'zod/mini';
import { parseJson } from '../../contract/json.ts';
import { truncate } from '../../contract/text.ts';
import type { FailedMessage } from '../../providers/queues/failure-queue.ts';

/** Describes a message of a failure queue to the operator who replays or discards it. */
export interface FailureDescription {
  description: string;
  accountId: string | null;
  error: string | null;
}

const text = () => z.string();

/** The record that Lambda keeps of a failed batch of a stream (https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html). */
export const FailedBatch = z.object({
  requestContext: z.object({ functionArn: text(), condition: text() }),
  DDBStreamBatchInfo: z.object({
    streamArn: text(),
    shardId: text(),
    startSequenceNumber: text(),
    endSequenceNumber: text(),
    batchSize: z.int(),
  }),
});

/**
 * The record that Lambda keeps of a failed asynchronous invocation
 * (https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html).
 */
export const FailedRun = z.object({
  requestContext: z.object({ functionArn: text(), condition: text() }),
  requestPayload: z.optional(z.nullable(z.looseObject({}))),
  responsePayload: z.optional(z.nullable(z.looseObject({ errorMessage: z.optional(text()) }))),
});

/** One describer per kind of message. The first whose schema accepts a message describes it. */
const DESCRIBERS = [
  describer(
    z.object({ deliveryId: text(), eventId: text(), webhookId: text(), accountId: text(), step: z.int() }),
    ({ deliveryId, eventId, webhookId, accountId, step }) => ({
      description: `Attempt ${step + 1} at delivery ${deliveryId} of event ${eventId} to endpoint ${webhookId}`,
      accountId,
      error: null,
    }),
  ),
  describer(z.object({ domainId: text(), accountId: text() }), ({ domainId, accountId }) => ({
    description: `Sync of the zone of domain ${domainId}`,
    accountId,
    error: null,
  })),
  describer(
    z.object({ job: text(), key: z.object({ pk: text() }), accountId: z.optional(text()) }),
    ({ job, key: { pk }, accountId = null }) => ({
      description: `Job ${job} of ${pk.replaceAll('#', ' ')}`,
      accountId,
      error: null,
    }),
  ),
  describer(FailedBatch, ({ requestContext: { functionArn, condition }, DDBStreamBatchInfo: batch }) => ({
    description: `${batch.batchSize} changes from ${batch.startSequenceNumber} of shard ${batch.shardId}, refused by ${nameOf(functionArn)}`,
    accountId: null,
    error: condition,
  })),
  describer(FailedRun, ({ requestContext: { functionArn, condition }, responsePayload }) => ({
    description: `Run of ${nameOf(functionArn)}`,
    accountId: null,
    error: responsePayload?.errorMessage ?? condition,
  })),
];

const nameOf = (functionArn: string): string => functionArn.split(':')[6] ?? functionArn;

/** Returns a function that describes the messages that a schema accepts. */
function describer<T>(schema: z.ZodMiniType<T>, describe: (message: T) => FailureDescription) {
  return (message: unknown): FailureDescription | undefined => {
    const { success, data } = schema.safeParse(message);
    return success ? describe(data) : undefined;
  };
}

/** Most characters shown of a message of an unknown kind. */
const MAX_SHOWN_LENGTH = 300;

/** Describes a message of a failure queue. A message of an unknown kind is described by its beginning. */
export function describeFailure({ body, refused }: Pick<FailedMessage, 'body' | 'refused'>): FailureDescription {
  if (refused) {
    const description = `Run of ${nameOf(refused.functionArn)}, which was not invoked`;
    return { description, accountId: null, error: refused.error };
  }
  const message = parseJson(body);
  for (const describe of DESCRIBERS) {
    const description = describe(message);
    if (description) return description;
  }
  return { description: truncate(body, MAX_SHOWN_LENGTH), accountId: null, error: null };
}
