import type * as z from 'zod/mini';
import { ApiError } from '../../contract/errors.ts';
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
import { describeFailure, FailedBatch, FailedRun, parseOrUndefined } from './failure-words.ts';

/** Failed work that waits for operators: seen, replayed and discarded (docs/runbook.md#failure-queue). */

type QueueName = Exclude<FailureName, 'quarantine'>;
export type FailureDeps = Deps & { failureQueues: Record<QueueName, FailureQueue> };
export type ListingDeps = FailureDeps & {
  /** Is given the error of a queue that could not be counted. */
  onUncounted: (name: QueueName, error: unknown) => void;
};
export type ReplayDeps = FailureDeps & {
  queue: DeliveryQueue;
  zoneSyncQueue: ZoneSyncQueue;
  jobs: JobQueues;
  replays: Replays;
};

/** Items that one call replays or discards at most. */
const MAX_ITEMS = 200;
/** Seconds for which messages are hidden that are shown, and that are replayed or discarded. */
const SHOWN_S = 1;
const HIDDEN_S = 60;
const REMOVED_AT_ONCE = 10;
/** No message is begun later in a call, so that it ends within the time of a request. */
const MAX_CALL_MS = 12_000;

/** GET /operator/v1/failures. The quarantine is in the table: it is listed while the queues are away, whose count is then null. */
export async function listFailures(deps: ListingDeps): Promise<Output<typeof ListRoute>> {
  const countQueue = (name: QueueName) =>
    deps.failureQueues[name].count().catch((error: unknown) => {
      deps.onUncounted(name, error);
      return null;
    });
  const counts = await Promise.all(
    FAILURE_NAMES.map((name) => (name === 'quarantine' ? countQuarantined(deps) : countQueue(name))),
  );
  const data = FAILURE_NAMES.map((name, at) => {
    const { label, means, replay } = failureRule(name);
    return { name, label, means, replay, count: counts[at] ?? null };
  });
  return { data, has_more: false };
}

/** GET /operator/v1/failures/{name}: the first items. Messages are hidden from other readers for a second. */
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
  const messages = await deps.failureQueues[name].take(SHOWN_S);
  const data = messages.map(({ id, body, sentAt, ...rest }) => ({
    id,
    ...describeFailure({ body, ...rest }),
    since: sentAt.toISOString(),
  }));
  // Those that were taken are hidden, and are not counted.
  return { data, has_more: (await deps.failureQueues[name].count()) > 0 };
}

/** Result of a call: messages that were dealt with and removed, and those that stay because they failed again. */
interface Drained {
  count: number;
  kept: number;
}

/**
 * Takes the messages that one call deals with, for `settle` to remove them. Those that it leaves are to be seen again when the
 * call is over.
 */
async function withMessages<T>(
  { now }: Pick<Deps, 'now'>,
  queue: FailureQueue,
  settle: (
    messages: FailedMessage[],
    remove: (message: FailedMessage) => Promise<void>,
    isLate: () => boolean,
  ) => Promise<T>,
): Promise<T> {
  const ends = now().getTime() + MAX_CALL_MS;
  const isLate = () => now().getTime() >= ends;
  const hidden = new Map<string, FailedMessage>();
  const remove = async (message: FailedMessage) => {
    await queue.remove(message);
    hidden.delete(message.id);
  };
  try {
    while (hidden.size < MAX_ITEMS && !isLate()) {
      const messages = await queue.take(HIDDEN_S);
      if (messages.length === 0) break;
      for (const message of messages) hidden.set(message.id, message);
    }
    return await settle([...hidden.values()].slice(0, MAX_ITEMS), remove, isLate);
  } finally {
    // One that cannot be released reappears when its time is over.
    await Promise.allSettled([...hidden.values()].map((message) => queue.release(message)));
  }
}

/** Does the same to each message and removes it afterwards. One for which `act` resolves with `false` stays. */
const drain = (
  deps: Pick<Deps, 'now'>,
  queue: FailureQueue,
  act: (message: FailedMessage) => Promise<boolean>,
): Promise<Drained> =>
  withMessages(deps, queue, async (messages, remove, isLate) => {
    const drained: Drained = { count: 0, kept: 0 };
    for (const message of messages) {
      if (isLate()) break;
      const isDone = await act(message);
      if (isDone) await remove(message);
      drained[isDone ? 'count' : 'kept'] += 1;
    }
    return drained;
  });

/** Returns a function that sends a message again; one of another kind stays. */
const resend =
  <T>(schema: z.ZodMiniType<T>, send: (input: T) => Promise<unknown>) =>
  async ({ body }: FailedMessage): Promise<boolean> => {
    const { success, data } = schema.safeParse(parseOrUndefined(body));
    if (success) await send(data);
    return success;
  };

/**
 * Has the stream's consumer receive changes again. Rules may run again at any time; changes that the stream does not have
 * any more stay, for an operator to look at.
 */
async function replayChanges({ replays }: ReplayDeps, { body }: FailedMessage): Promise<boolean> {
  const { success, data } = FailedBatch.safeParse(parseOrUndefined(body));
  if (!success) return false;
  const { requestContext, DDBStreamBatchInfo: batch } = data;
  const Records = await replays.readChanges(batch);
  if (Records === undefined) return false;
  return (await replays.run(requestContext.functionArn, { Records })) === undefined;
}

/** Returns a function that runs the job of a message again: once for all its failed runs, which would do the same. */
function replayRuns({ replays }: ReplayDeps): (message: FailedMessage) => Promise<boolean> {
  const started = new Set<string>();
  return async ({ body, refused }) => {
    const run = FailedRun.safeParse(parseOrUndefined(body)).data;
    const functionArn = refused?.functionArn ?? run?.requestContext.functionArn;
    if (functionArn === undefined) return false;
    // A message may name the version that ran, and the next is another one.
    const name = functionArn.replace(/:\$LATEST$/, '');
    if (!started.has(name)) await replays.start(name, run?.requestPayload ?? {});
    started.add(name);
    return true;
  };
}

async function replay(deps: ReplayDeps, name: FailureName): Promise<Drained> {
  const { failureQueues, queue, zoneSyncQueue, jobs } = deps;
  switch (name) {
    case 'quarantine': {
      const { released } = await releaseQuarantined({ ...deps, commit: async (__, output) => output }, { all: true });
      return { count: released, kept: 0 };
    }
    case 'deliveries':
      return await drain(
        deps,
        failureQueues.deliveries,
        resend(DeliveryInput, (message) => queue.send([{ message, delay: 0 }])),
      );
    case 'routes':
    case 'payments':
    case 'workflows':
    case 'mails':
      return await drain(
        deps,
        failureQueues[name],
        // Its consumer refuses a job that it does not know.
        resend(JobInput, (job) => jobs[name].send([job as Job<never>])),
      );
    case 'dns':
      return await drain(
        deps,
        failureQueues.dns,
        resend(DomainInput, (ids) => zoneSyncQueue.send([ids])),
      );
    case 'stream':
      return await drain(deps, failureQueues.stream, (message) => replayChanges(deps, message));
    case 'schedules':
      return await drain(deps, failureQueues.schedules, replayRuns(deps));
  }
}

/** POST /operator/v1/failures/{name}/replay. A message is removed after it was sent again: a crash replays it twice, which changes nothing. */
export async function replayFailures(
  deps: ReplayDeps,
  _: Caller,
  { name }: Input<typeof ReplayRoute>,
): Promise<Output<typeof ReplayRoute>> {
  // Nothing takes what its queue is sent.
  if (name === 'mails' && deps.settings.mailFrom === undefined)
    throw new ApiError('conflict', 'This installation has no sender of emails (mailFrom): they can be discarded only.');
  const { count, kept } = await replay(deps, name);
  const about = { action: 'failures.replayed' as const, accountId: NO_ACCOUNT, subjectId: name };
  return await deps.commit([], { data: { count, kept } }, { ...about, after: { count, kept } });
}

/** Characters of an item, as JSON, that the log keeps: of as many as one call discards, all fit into an entry. */
const MAX_LOGGED = 150;

/** Returns the beginning of an item, whose quotes and control characters take more than one character in JSON. */
function loggedPart(item: string): string {
  let part = item.slice(0, MAX_LOGGED);
  while (JSON.stringify(part).length > MAX_LOGGED) part = part.slice(0, -1);
  return part;
}

/** POST /operator/v1/failures/{name}/discard. The entry of the audit log has all items: nothing else tells what they were. */
export async function discardFailures(
  deps: FailureDeps,
  _: Caller,
  { name }: Input<typeof DiscardRoute>,
): Promise<Output<typeof DiscardRoute>> {
  const about = { action: 'failures.discarded' as const, accountId: NO_ACCOUNT, subjectId: name };
  const record = (found: string[]) => {
    const [count, items] = [found.length, found.map(loggedPart)];
    return deps.commit([], { data: { count } }, { ...about, after: { count, items } });
  };
  // Before they are taken out: a crash in between leaves them where they are.
  if (name === 'quarantine') {
    const items = (await listQuarantined(deps)).items.slice(0, MAX_ITEMS);
    const output = await record(items.map(({ queue, pk, sk }) => `${queue}: ${pk} ${sk}`));
    await discardQuarantined(deps, items);
    return output;
  }
  return await withMessages(deps, deps.failureQueues[name], async (messages, remove) => {
    const output = await record(messages.map((each) => `${each.id}: ${describeFailure(each).description}`));
    await inChunks(messages, REMOVED_AT_ONCE, remove);
    return output;
  });
}
