import type * as z from 'zod/mini';
import { ApiError } from '../../contract/errors.ts';
import { parseJson } from '../../contract/json.ts';
import {
  type discardFailures as DiscardRoute,
  FAILURE_NAMES,
  type FailureName,
  failureRule,
  type listFailures as ListRoute,
  type readFailures as ReadRoute,
  type replayFailures as ReplayRoute,
} from '../../contract/operator/failures.ts';
import type { Input, Output } from '../../contract/route.ts';
import type { ZoneSyncQueue } from '../../providers/dns/sync-queue.ts';
import type { FailedMessage, FailureQueue } from '../../providers/queues/failure-queue.ts';
import type { Job } from '../../providers/queues/job-queue.ts';
import type { Replays } from '../../providers/queues/replays.ts';
import type { DeliveryQueue } from '../../providers/webhooks/delivery-queue.ts';
import { NO_ACCOUNT } from '../audit/record.ts';
import { inChunks } from '../chunks.ts';
import type { Caller, Deps } from '../deps.ts';
import { JobInput, type JobQueues } from '../processes/jobs.ts';
import { countQuarantined, discardQuarantined, listQuarantined, releaseQuarantined } from '../processes/quarantine.ts';
import { DomainInput } from '../registrar/tasks.ts';
import { DeliveryInput } from '../webhooks/deliver.ts';
import { describeFailure, FailedBatch, FailedRun } from './failure-descriptions.ts';

/** Failed work that waits for operators, who list, replay or discard it (docs/runbook.md#failure-queue). */

type QueueName = Exclude<FailureName, 'quarantine'>;
export type FailureDeps = Deps & { failureQueues: Record<QueueName, FailureQueue> };
export type ListDeps = FailureDeps & {
  /** Receives the error of a queue that could not be counted. */
  onCountError: (name: QueueName, error: unknown) => void;
};
export type ReplayDeps = FailureDeps & {
  queue: DeliveryQueue;
  zoneSyncQueue: ZoneSyncQueue;
  jobs: JobQueues;
  replays: Replays;
  /** Receives the error of a message that could not be replayed. */
  onReplayError: (name: QueueName, error: unknown) => void;
};

/** Most items that one call replays or discards. */
const MAX_ITEMS = 200;
/** Time for which listed messages are hidden from other readers, in seconds. */
const LIST_VISIBILITY_S = 1;
/** Time for which messages are hidden while they are replayed or discarded, in seconds. */
const PROCESSING_VISIBILITY_S = 60;
/** Number of messages that are removed concurrently. */
const REMOVE_CONCURRENCY = 10;
/** Time in a call after which it begins no further message, so that it ends within the timeout of a request. */
const MAX_CALL_MS = 12_000;
/** Time in a call after which it receives no further messages: half, so that slow receives leave time for what was received. */
const MAX_RECEIVE_MS = MAX_CALL_MS / 2;

/** GET /operator/v1/failures. The count of a queue that is unavailable is null. The quarantine is in the table, and is still listed then. */
export async function listFailures(deps: ListDeps): Promise<Output<typeof ListRoute>> {
  const countQueue = (name: QueueName) =>
    deps.failureQueues[name].count().catch((error: unknown) => {
      deps.onCountError(name, error);
      return null;
    });
  const counts = await Promise.all(
    FAILURE_NAMES.map((name) => (name === 'quarantine' ? countQuarantined(deps) : countQueue(name))),
  );
  const data = FAILURE_NAMES.map((name, index) => {
    const { label, means, replay } = failureRule(name);
    return { name, label, means, replay, count: counts[index] ?? null };
  });
  return { data, has_more: false };
}

/** GET /operator/v1/failures/{name}. Returns the first items, and hides messages from other readers for a second. */
export async function readFailures(
  deps: FailureDeps,
  _: Caller,
  { name }: Input<typeof ReadRoute>,
): Promise<Output<typeof ReadRoute>> {
  if (name === 'quarantine') {
    const { items } = await listQuarantined(deps);
    const data = items.slice(0, 100).map(({ pk, sk, queue, failures, error, since }) => ({
      id: `${pk} ${sk}`,
      accountId: /^ACCOUNT#([^#]+)/.exec(pk)?.[1] ?? null,
      error,
      since,
      description: `${queue}: ${failures} failures in a row`,
    }));
    return { data, has_more: items.length > data.length };
  }
  const messages = await deps.failureQueues[name].take(LIST_VISIBILITY_S);
  const data = messages.map(({ id, body, sentAt, ...rest }) => ({
    id,
    ...describeFailure({ body, ...rest }),
    since: sentAt.toISOString(),
  }));
  // The count does not include the listed messages, because they are hidden.
  return { data, has_more: (await deps.failureQueues[name].count()) > 0 };
}

/** Result of a replay. */
interface ReplayResult {
  /** Messages that were replayed and removed. */
  count: number;
  /** Messages that stay because they failed again or cannot be replayed. */
  kept: number;
}

/**
 * Receives the messages of one call and passes them to `processMessages`, which removes the ones that it has processed. Releases the others at the
 * end, so that they are visible again.
 */
async function withMessages<T>(
  { now }: Pick<Deps, 'now'>,
  queue: FailureQueue,
  processMessages: (
    messages: FailedMessage[],
    remove: (message: FailedMessage) => Promise<void>,
    isLate: () => boolean,
  ) => Promise<T>,
): Promise<T> {
  const startedAt = now().getTime();
  const hasPassed = (milliseconds: number) => now().getTime() >= startedAt + milliseconds;
  const received = new Map<string, FailedMessage>();
  const remove = async (message: FailedMessage) => {
    await queue.remove(message);
    received.delete(message.id);
  };
  try {
    while (received.size < MAX_ITEMS && !hasPassed(MAX_RECEIVE_MS)) {
      const messages = await queue.take(PROCESSING_VISIBILITY_S);
      if (messages.length === 0) break;
      for (const message of messages) received.set(message.id, message);
    }
    return await processMessages([...received.values()].slice(0, MAX_ITEMS), remove, () => hasPassed(MAX_CALL_MS));
  } finally {
    // A message that cannot be released reappears when its visibility timeout ends.
    await Promise.allSettled([...received.values()].map((message) => queue.release(message)));
  }
}

/**
 * Replays each message with `act` and removes it afterwards. A message for which `act` resolves with `false` or rejects stays in the queue, and
 * holds up no other message.
 */
const drain = (
  deps: Pick<ReplayDeps, 'now' | 'failureQueues' | 'onReplayError'>,
  name: QueueName,
  act: (message: FailedMessage) => Promise<boolean>,
): Promise<ReplayResult> =>
  withMessages(deps, deps.failureQueues[name], async (messages, remove, isLate) => {
    const result: ReplayResult = { count: 0, kept: 0 };
    const replayOne = async (message: FailedMessage): Promise<boolean> => {
      const isDone = await act(message);
      if (isDone) await remove(message);
      return isDone;
    };
    for (const message of messages) {
      const isDone = await replayOne(message).catch((error: unknown) => {
        deps.onReplayError(name, error);
        return false;
      });
      result[isDone ? 'count' : 'kept'] += 1;
      // Even after a very slow receive, one message is replayed.
      if (isLate()) break;
    }
    return result;
  });

/** Returns a function that sends a message again. It resolves with `false` for a message that the schema does not accept. */
const resend =
  <T>(schema: z.ZodMiniType<T>, send: (input: T) => Promise<unknown>) =>
  async ({ body }: FailedMessage): Promise<boolean> => {
    const { success, data } = schema.safeParse(parseJson(body));
    if (success) await send(data);
    return success;
  };

/**
 * Invokes the stream's consumer with the changes of a failed batch again. This is safe because rules are idempotent.
 * @returns false if the changes can no longer be read from the stream, or if the consumer fails again
 */
async function replayChanges({ replays }: ReplayDeps, { body }: FailedMessage): Promise<boolean> {
  const { success, data } = FailedBatch.safeParse(parseJson(body));
  if (!success) return false;
  const { requestContext, DDBStreamBatchInfo: batch } = data;
  const Records = await replays.readChanges(batch);
  if (Records === undefined) return false;
  return (await replays.run(requestContext.functionArn, { Records })) === undefined;
}

/** Returns a function that runs the scheduled job of a message again, once for all messages of a job: its runs all do the same. */
function replayRuns({ replays }: ReplayDeps): (message: FailedMessage) => Promise<boolean> {
  const started = new Set<string>();
  return async ({ body, refused }) => {
    const run = FailedRun.safeParse(parseJson(body)).data;
    const functionArn = refused?.functionArn ?? run?.requestContext.functionArn;
    if (functionArn === undefined) return false;
    // The ARN in a failed run's record may end in `:$LATEST`. The ARN in a schedule's does not.
    const name = functionArn.replace(/:\$LATEST$/, '');
    if (!started.has(name)) await replays.start(name, run?.requestPayload ?? {});
    started.add(name);
    return true;
  };
}

async function replay(deps: ReplayDeps, name: FailureName): Promise<ReplayResult> {
  const { queue, zoneSyncQueue, jobs } = deps;
  switch (name) {
    case 'quarantine': {
      // The replay has an audit entry of its own.
      const unaudited = { ...deps, commit: async <T>(__: unknown, output: T) => output };
      const { released } = await releaseQuarantined(unaudited, { all: true }, MAX_ITEMS);
      return { count: released, kept: 0 };
    }
    case 'deliveries':
      return await drain(
        deps,
        name,
        resend(DeliveryInput, (message) => queue.send([{ message, delay: 0 }])),
      );
    case 'routes':
    case 'payments':
    case 'workflows':
    case 'mails':
      return await drain(
        deps,
        name,
        // The queue's consumer refuses unknown jobs.
        resend(JobInput, (job) => jobs[name].send([job as Job<never>])),
      );
    case 'dns':
      return await drain(
        deps,
        name,
        resend(DomainInput, (ids) => zoneSyncQueue.send([ids])),
      );
    case 'stream':
      return await drain(deps, name, (message) => replayChanges(deps, message));
    case 'schedules':
      return await drain(deps, name, replayRuns(deps));
  }
}

/** POST /operator/v1/failures/{name}/replay. Removes a message after its replay. A crash in between replays it twice, which is harmless. */
export async function replayFailures(
  deps: ReplayDeps,
  _: Caller,
  { name }: Input<typeof ReplayRoute>,
): Promise<Output<typeof ReplayRoute>> {
  // Without a sender, the queue of emails has no consumer.
  if (name === 'mails' && deps.settings.mailFrom === undefined)
    throw new ApiError(
      'conflict',
      'This installation has no sender of emails (mailFrom). Failed emails can only be discarded.',
    );
  const { count, kept } = await replay(deps, name);
  const about = { action: 'failures.replayed' as const, accountId: NO_ACCOUNT, subjectId: name };
  return await deps.commit([], { data: { count, kept } }, { ...about, after: { count, kept } });
}

/** Most characters, as JSON, that the audit entry keeps of a discarded item: {@link MAX_ITEMS} of them fit into one entry. */
const MAX_LOGGED_LENGTH = 150;

/** Returns the beginning of an item for the audit entry. Quotes and control characters take more than one character in JSON. */
function loggedPart(item: string): string {
  let part = item.slice(0, MAX_LOGGED_LENGTH);
  while (JSON.stringify(part).length > MAX_LOGGED_LENGTH) part = part.slice(0, -1);
  return part;
}

/** POST /operator/v1/failures/{name}/discard. The audit entry lists all items, because it is the only record of them. */
export async function discardFailures(
  deps: FailureDeps,
  _: Caller,
  { name }: Input<typeof DiscardRoute>,
): Promise<Output<typeof DiscardRoute>> {
  const about = { action: 'failures.discarded' as const, accountId: NO_ACCOUNT, subjectId: name };
  const record = (descriptions: string[]) => {
    const [count, items] = [descriptions.length, descriptions.map(loggedPart)];
    return deps.commit([], { data: { count } }, { ...about, after: { count, items } });
  };
  // The entry is written before the items are removed: a crash in between leaves the items in place.
  if (name === 'quarantine') {
    const items = (await listQuarantined(deps)).items.slice(0, MAX_ITEMS);
    const output = await record(items.map(({ queue, pk, sk }) => `${queue}: ${pk} ${sk}`));
    await discardQuarantined(deps, items);
    return output;
  }
  return await withMessages(deps, deps.failureQueues[name], async (messages, remove) => {
    const output = await record(messages.map((message) => `${message.id}: ${describeFailure(message).description}`));
    await inChunks(messages, REMOVE_CONCURRENCY, remove);
    return output;
  });
}
