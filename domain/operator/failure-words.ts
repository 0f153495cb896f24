import * as z from 'zod/mini';
import { truncate } from '../../contract/text.ts';
import type { FailedMessage } from '../../providers/queues/failure-queue.ts';

/** The subject of a message of a failure queue, for the operator who replays or discards it. */
export interface Described {
  description: string;
  accountId: string | null;
  error: string | null;
}

const text = () => z.string();

/** A batch of a stream that failed, as Lambda keeps it (https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html). */
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
 * An asynchronous invocation that failed, as Lambda keeps it
 * (https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html).
 */
export const FailedRun = z.object({
  requestContext: z.object({ functionArn: text(), condition: text() }),
  requestPayload: z.optional(z.nullable(z.looseObject({}))),
  responsePayload: z.optional(z.nullable(z.looseObject({ errorMessage: z.optional(text()) }))),
});

/** The kinds of messages, each with its words; the first that fits describes a message. */
const KINDS = [
  kind(
    z.object({ deliveryId: text(), eventId: text(), webhookId: text(), accountId: text(), step: z.int() }),
    ({ deliveryId, eventId, webhookId, accountId, step }) => ({
      description: `Attempt ${step + 1} at delivery ${deliveryId} of event ${eventId} to endpoint ${webhookId}`,
      accountId,
      error: null,
    }),
  ),
  kind(z.object({ domainId: text(), accountId: text() }), ({ domainId, accountId }) => ({
    description: `Sync of the zone of domain ${domainId}`,
    accountId,
    error: null,
  })),
  kind(
    z.object({ job: text(), key: z.object({ pk: text() }), accountId: z.optional(text()) }),
    ({ job, key: { pk }, accountId = null }) => ({
      description: `Job ${job} of ${pk.replaceAll('#', ' ')}`,
      accountId,
      error: null,
    }),
  ),
  kind(FailedBatch, ({ requestContext: { functionArn, condition }, DDBStreamBatchInfo: batch }) => ({
    description: `${batch.batchSize} changes from ${batch.startSequenceNumber} of shard ${batch.shardId}, refused by ${nameOf(functionArn)}`,
    accountId: null,
    error: condition,
  })),
  kind(FailedRun, ({ requestContext: { functionArn, condition }, responsePayload }) => ({
    description: `Run of ${nameOf(functionArn)}`,
    accountId: null,
    error: responsePayload?.errorMessage ?? condition,
  })),
];

const nameOf = (functionArn: string): string => functionArn.split(':')[6] ?? functionArn;

function kind<T>(schema: z.ZodMiniType<T>, describe: (message: T) => Described) {
  return (message: unknown): Described | undefined => {
    const { success, data } = schema.safeParse(message);
    return success ? describe(data) : undefined;
  };
}

/** Longest part of a message that is shown as it is. */
const MAX_SHOWN = 300;

/** Describes a message of a failure queue; one of an unknown kind by its beginning. */
export function describeFailure({ body, refused }: Pick<FailedMessage, 'body' | 'refused'>): Described {
  if (refused) {
    const description = `Run of ${nameOf(refused.functionArn)}, which was not invoked`;
    return { description, accountId: null, error: refused.error };
  }
  const message = parseOrUndefined(body);
  for (const describe of KINDS) {
    const found = describe(message);
    if (found) return found;
  }
  return { description: truncate(body, MAX_SHOWN), accountId: null, error: null };
}

/** Parses JSON. Returns undefined for a text that is none, which no schema accepts. */
export function parseOrUndefined(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
