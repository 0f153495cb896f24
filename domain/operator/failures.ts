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
import type { DeliveryQueue } from '../../providers/webhooks/delivery-queue.ts';
import { NO_ACCOUNT } from '../audit/record.ts';
import type { Caller, Deps } from '../deps.ts';
import { countQuarantined, discardQuarantined, listQuarantined, releaseQuarantined } from '../processes/quarantine.ts';
import { DomainInput } from '../registrar/tasks.ts';
import { DeliveryInput } from '../webhooks/deliver.ts';
import { describeFailure } from './failure-words.ts';

/** Failed work that waits for operators: seen, replayed and discarded (docs/runbook.md#failure-queue). */

type QueueName = Exclude<FailureName, 'quarantine'>;
export type FailureDeps = Deps & { failureQueues: Record<QueueName, FailureQueue> };
export type ReplayDeps = FailureDeps & { queue: DeliveryQueue; mirrors: ZoneSyncQueue };

/** Items that one call replays or discards at most. */
const MAX_ITEMS = 200;
/** Seconds for which messages are hidden that are shown, and that are replayed. */
const SHOWN_S = 1;
const REPLAYED_S = 60;

/** GET /operator/v1/failures */
export async function listFailures(deps: FailureDeps): Promise<Output<typeof ListRoute>> {
  const counts = await Promise.all(
    FAILURE_NAMES.map((name) => (name === 'quarantine' ? countQuarantined(deps) : deps.failureQueues[name].count())),
  );
  const data = FAILURE_NAMES.map((name, at) => {
    const { label, means, replay = null } = failureRule(name);
    return { name, label, means, replay, count: counts[at] ?? 0 };
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
      ...{ id: `${pk} ${sk}`, accountId: /^ACCOUNT#([^#]+)/.exec(pk)?.[1] ?? null, error, since },
      description: `${queue}: ${failures} failures in a row`,
    }));
    return { data, has_more: items.length > data.length };
  }
  const messages = await deps.failureQueues[name].take(SHOWN_S);
  const data = messages.map(({ id, body, sentAt }) => ({ id, ...describeFailure(body), since: sentAt.toISOString() }));
  return { data, has_more: (await deps.failureQueues[name].count()) > data.length };
}

/** Does the same to each message and removes it afterwards: what fails stays. @returns the number of messages */
async function drain(queue: FailureQueue, act: (message: FailedMessage) => Promise<void>): Promise<number> {
  for (let count = 0; ; ) {
    const messages = count < MAX_ITEMS ? await queue.take(REPLAYED_S) : [];
    if (messages.length === 0) return count;
    for (const message of messages) {
      await act(message);
      await queue.remove(message);
    }
    count += messages.length;
  }
}

async function replay(deps: ReplayDeps, name: FailureName): Promise<number> {
  const { failureQueues, queue, mirrors } = deps;
  switch (name) {
    case 'quarantine':
      return (await releaseQuarantined({ ...deps, commit: async (__, output) => output }, { all: true })).released;
    case 'deliveries':
      return await drain(failureQueues.deliveries, ({ body }) =>
        queue.send([{ message: DeliveryInput.parse(JSON.parse(body)), delay: 0 }]),
      );
    case 'dns':
      return await drain(failureQueues.dns, ({ body }) => mirrors.send([DomainInput.parse(JSON.parse(body))]));
    default:
      throw new ApiError('conflict', `There is nothing to replay. ${failureRule(name).means}`);
  }
}

/** POST /operator/v1/failures/{name}/replay. A message is removed after it was sent again: a crash replays it twice, which changes nothing. */
export async function replayFailures(
  deps: ReplayDeps,
  _: Caller,
  { name }: Input<typeof ReplayRoute>,
): Promise<Output<typeof ReplayRoute>> {
  const count = await replay(deps, name);
  const about = { action: 'failures.replayed' as const, accountId: NO_ACCOUNT, subjectId: name };
  return await deps.commit([], { data: { count } }, { ...about, after: { count } });
}

/** POST /operator/v1/failures/{name}/discard */
export async function discardFailures(
  deps: FailureDeps,
  _: Caller,
  { name }: Input<typeof DiscardRoute>,
): Promise<Output<typeof DiscardRoute>> {
  const count =
    name === 'quarantine' ? await discardQuarantined(deps) : await drain(deps.failureQueues[name], async () => {});
  const about = { action: 'failures.discarded' as const, accountId: NO_ACCOUNT, subjectId: name };
  return await deps.commit([], { data: { count } }, { ...about, after: { count } });
}
