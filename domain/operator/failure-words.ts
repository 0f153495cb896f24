import * as z from 'zod/mini';

/** The subject of a message of a failure queue, for the operator who replays or discards it. */
export interface Described {
  description: string;
  accountId: string | null;
  error: string | null;
}

const text = () => z.string();

/** The kinds of messages, each with its words; the first that fits describes a message. */
const KINDS = [
  kind(
    z.object({ deliveryId: text(), eventId: text(), webhookId: text(), accountId: text(), step: z.int() }),
    ({ deliveryId, eventId, webhookId, accountId, step }) => ({
      description: `Attempt ${step + 1} at delivery ${deliveryId} of event ${eventId} to endpoint ${webhookId}`,
      ...{ accountId, error: null },
    }),
  ),
  kind(z.object({ domainId: text(), accountId: text() }), ({ domainId, accountId }) => ({
    ...{ description: `Sync of the zone of domain ${domainId}`, accountId, error: null },
  })),
  // https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html: what Lambda sends of a batch of a stream.
  kind(
    z.object({
      requestContext: z.object({ functionArn: text(), condition: text() }),
      DDBStreamBatchInfo: z.object({ shardId: text(), startSequenceNumber: text(), batchSize: z.int() }),
    }),
    ({ requestContext: { functionArn, condition }, DDBStreamBatchInfo: batch }) => ({
      description: `${batch.batchSize} changes from ${batch.startSequenceNumber} of shard ${batch.shardId}, refused by ${nameOf(functionArn)}`,
      ...{ accountId: null, error: condition },
    }),
  ),
  // https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html: of an asynchronous invocation.
  kind(
    z.object({
      requestContext: z.object({ functionArn: text(), condition: text() }),
      responsePayload: z.optional(z.nullable(z.looseObject({ errorMessage: z.optional(text()) }))),
    }),
    ({ requestContext: { functionArn, condition }, responsePayload }) => ({
      ...{ description: `Run of ${nameOf(functionArn)}`, accountId: null },
      error: responsePayload?.errorMessage ?? condition,
    }),
  ),
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
export function describeFailure(body: string): Described {
  const message = parse(body);
  for (const describe of KINDS) {
    const found = describe(message);
    if (found) return found;
  }
  return { description: body.slice(0, MAX_SHOWN), accountId: null, error: null };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
