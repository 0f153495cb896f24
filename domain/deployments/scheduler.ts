import { limitMessage, limitOf } from '../../contract/limits/limits.ts';
import { Account } from '../../table/entities/accounts.ts';
import { BuildQueue, Deployment, NextBuild, QueuedBuild, queuedBuildsOf } from '../../table/entities/deployments.ts';
import type { Change } from '../../table/expressions.ts';
import { partitionsOf, schedule, unschedule } from '../../table/schedule.ts';
import { change, create, remove, type Write } from '../../table/writes.ts';
import { concurrentUpdate, tryChange, tryTransact } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { countTowards, usageOf } from '../limits/limits.ts';
import type { DueQueue } from '../sweep/sweep.ts';
import { MINUTE_MS, millisecondsBetween, timestampAfter } from '../time.ts';
import { clearNextBuild } from './build-queue.ts';
import { scheduleCheck } from './deployment.ts';
import { failDeployment } from './finish.ts';

/**
 * The scheduler in front of the build service (docs/decisions/0053-build-scheduler.md). Builds wait in one queue per account.
 * The scheduler admits the next build when the previous one has its builder. So the build service's own queue, which is
 * first-in first-out across accounts, never holds more than one build, and its capacity need not be known.
 */

/** Queues that one admission compares: those that were served longest ago. */
const MAX_QUEUES = 20;
/** Builds of one queue that one admission drops. */
const MAX_DROPPED = 25;
/** Delay until the sweep checks the queue of an account at its limit again, in milliseconds. The end of one of its deployments checks it sooner. */
const POSTPONE_MS = MINUTE_MS;
/** Age in milliseconds at which the scheduler checks whether the next build's deployment has ended. */
const NEXT_BUILD_CHECK_MS = MINUTE_MS;

/** The reason why a deployment was not admitted. */
class NotAdmitted extends Error {
  readonly reason: 'BUSY' | 'ENDED' | 'LIMIT';
  constructor(reason: NotAdmitted['reason']) {
    super(reason);
    this.reason = reason;
  }
}
const notAdmitted = (reason: NotAdmitted['reason']) => () => new NotAdmitted(reason);

/** The build queue of an account, as a candidate for the next admission. */
interface AccountQueue {
  accountId: string;
  dueAt: string;
  /** The queue's counter of its builds. */
  waiting: number;
  /** Undefined for a deleted account. */
  account: Account | undefined;
  /** Number of the account's running deployments. */
  running: number;
}

/**
 * Admits the next build unless one is waiting for a builder already. It chooses the account with the fewest running
 * deployments, and among equals the one that was served longest ago.
 * @param candidate an account whose queue the index may not show yet
 */
export async function admitBuild(deps: Deps, candidate?: string): Promise<void> {
  if (await isBusy(deps)) return;
  for (const queue of await findQueues(deps, candidate)) {
    try {
      if (await admitFirst(deps, queue)) return;
    } catch (error) {
      // A failing queue must not block the others. The sweep over the queues (below) counts its failures.
      if (queue.accountId === candidate) throw error;
    }
  }
}

/** True while an admitted build waits for a builder. Clears the next build if its deployment ended without doing so. */
async function isBusy(deps: Deps): Promise<boolean> {
  const next = await deps.table.get(NextBuild, {});
  if (!next || millisecondsBetween(deps.now(), next.since) < NEXT_BUILD_CHECK_MS) return next !== undefined;
  const deployment = await deps.table.get(Deployment, { accountId: next.accountId, id: next.deploymentId });
  if (deployment?.finishedAt === null) return true;
  await clearNextBuild(deps, next.deploymentId);
  return false;
}

async function findQueues(deps: Deps, candidate: string | undefined): Promise<AccountQueue[]> {
  const { table, now } = deps;
  const page = { until: now().toISOString(), limit: MAX_QUEUES };
  const partitions = partitionsOf(BuildQueue, 'BUILD_QUEUE').map((duePk) => table.due(duePk, page));
  const due = (await Promise.all(partitions)).flat();
  const candidateKey = candidate === undefined ? undefined : BuildQueue.key({ accountId: candidate });
  const unique = new Map([...due, ...(candidateKey ? [candidateKey] : [])].map((key) => [key.pk, key]));
  const queues = await Promise.all(
    [...unique.values()].map(async (key): Promise<AccountQueue[]> => {
      try {
        const queue = await table.find(BuildQueue, key);
        return queue?.dueAt === undefined ? [] : [await readAccountOf(deps, queue)];
      } catch (error) {
        // For the candidate, the stream retries its record. For the others, the sweep counts the failure.
        if (key.pk === candidateKey?.pk) throw error;
        return [];
      }
    }),
  );
  return queues.flat().sort((a, b) => a.running - b.running);
}

async function readAccountOf({ table }: Deps, { accountId, dueAt = '', waiting }: BuildQueue): Promise<AccountQueue> {
  const account = await table.get(Account, { id: accountId });
  return { accountId, dueAt, waiting, account, running: account?.buildCount ?? 0 };
}

/** Admits the first build of a queue that may run. @returns true if there is a next build now, from this queue or another one */
async function admitFirst(deps: Deps, queue: AccountQueue): Promise<boolean> {
  const { accountId, account } = queue;
  for (let dropped = 0; dropped < MAX_DROPPED; dropped += 1) {
    const [first] = await deps.table.all(QueuedBuild, queuedBuildsOf(accountId), { limit: 1, oldestFirst: true });
    if (!first || !account) {
      await updateUnlessChanged(deps, queue, { remove: unschedule(BuildQueue) });
      return false;
    }
    const minutes = limitOf(account, 'buildMinutesPerMonth');
    if ((usageOf(account, 'buildMinutesPerMonth', deps.now()) ?? 0) >= minutes) {
      await failDeployment(deps, { ...first, deploymentId: first.id }, limitMessage('buildMinutesPerMonth', minutes));
      await tryTransact(deps, dequeue(deps, first));
      continue;
    }
    try {
      await deps.table.transact(admission(deps, first));
      return true;
    } catch (error) {
      if (!(error instanceof NotAdmitted)) throw error;
      if (error.reason === 'BUSY') return true;
      if (error.reason === 'LIMIT') {
        await updateUnlessChanged(deps, queue, { set: schedule(BuildQueue, timestampAfter(deps.now(), POSTPONE_MS)) });
        return false;
      }
      // The deployment was stopped while it waited, or its application was deleted.
      await tryTransact(deps, dequeue(deps, first));
    }
  }
  // The end of each dropped deployment checks the queue again.
  return false;
}

/** Changes a queue unless a build was added to it, or removed from it, since it was read. */
async function updateUnlessChanged(
  deps: Deps,
  { accountId, dueAt, waiting }: AccountQueue,
  update: Pick<Change, 'set' | 'remove'>,
): Promise<void> {
  // The time alone is not enough: another build may have joined the queue in the same millisecond.
  const when = { dueAt: { is: dueAt }, waiting: { is: waiting } };
  await tryChange(deps, BuildQueue, { accountId }, { ...update, when });
}

/** Returns the writes that remove a build from its queue, once. */
const dequeue = (
  deps: Pick<Deps, 'now'>,
  { id, accountId }: Pick<QueuedBuild, 'id' | 'accountId'>,
  onRemoved: () => Error = concurrentUpdate,
): Write[] => [
  remove(QueuedBuild, { accountId, id }, { pk: 'present' }, onRemoved),
  // Moves this account's queue behind those of the other accounts.
  change(BuildQueue, { accountId }, { set: schedule(BuildQueue, deps.now()), add: { waiting: -1 } }),
];

function admission(deps: Deps, queued: QueuedBuild): Write[] {
  const { id, accountId } = queued;
  const now = deps.now().toISOString();
  const set = { admittedAt: now, ...scheduleCheck(deps) };
  const when = { status: { is: 'QUEUED' }, admittedAt: 'absent' } as const;
  return [
    create(NextBuild, { accountId, deploymentId: id, since: now }, notAdmitted('BUSY')),
    change(Deployment, { accountId, id }, { set, when }, notAdmitted('ENDED')),
    { ...countTowards(deps, accountId, ['concurrentBuilds']), onConditionFailed: notAdmitted('LIMIT') },
    ...dequeue(deps, queued, notAdmitted('ENDED')),
  ];
}

/** Clears the build of an ended deployment, and schedules the queue of its account, which may have a free slot now. */
export async function admitAfter(deps: Deps, { id, accountId, admittedAt, trigger }: Deployment): Promise<void> {
  await clearNextBuild(deps, id);
  // A deployment that ended before its admission is still in the queue, where it counts in the positions of those behind it.
  if (admittedAt === undefined && trigger !== 'ROLLBACK') await tryTransact(deps, dequeue(deps, { id, accountId }));
  const update = { set: schedule(BuildQueue, deps.now()), when: { waiting: { atLeast: 1 } } };
  await tryChange(deps, BuildQueue, { accountId }, update);
  await admitBuild(deps, accountId);
}

/** The first build of a queue, waiting for a builder. */
export interface WaitingBuild {
  accountId: string;
  deploymentId: string;
  waitedMs: number;
}

/** Returns the build of a queue that has waited longest; undefined for an empty queue, or if its account is at its limit. */
async function longestWaiting(
  deps: Deps,
  { accountId, account, running }: AccountQueue,
): Promise<WaitingBuild | undefined> {
  if (!account || running >= limitOf(account, 'concurrentBuilds')) return undefined;
  const [first] = await deps.table.all(QueuedBuild, queuedBuildsOf(accountId), { limit: 1, oldestFirst: true });
  if (first?.queuedAt === undefined) return undefined;
  return { accountId, deploymentId: first.id, waitedMs: deps.now().getTime() - Date.parse(first.queuedAt) };
}

/** Build queues that no admission has served. A queue may be due for long, behind the others; it reports how long its first build waits. */
export const buildQueue: DueQueue<typeof BuildQueue, Deps, WaitingBuild> = {
  queue: 'BUILD_QUEUE',
  entity: BuildQueue,
  isBacklog: true,
  async act(deps, queue) {
    const candidate = await readAccountOf(deps, queue);
    if (await isBusy(deps)) return await longestWaiting(deps, candidate);
    await admitFirst(deps, candidate);
    return undefined;
  },
};
