import { limitOf } from '../../contract/limits/limits.ts';
import { Account } from '../../table/entities/accounts.ts';
import {
  BuildQueue,
  type Deployment,
  NextBuild,
  QueuedBuild,
  queuedBuildsOf,
} from '../../table/entities/deployments.ts';
import { schedule } from '../../table/schedule.ts';
import { create, remove, upsert, type Write } from '../../table/writes.ts';
import { concurrentUpdate, tryTransact } from '../conflict.ts';
import type { Deps } from '../deps.ts';

/** Build queues, one per account, from which the scheduler (scheduler.ts) admits one build after another. */

/** Returns the writes that append a deployment to its account's build queue. They also make the stream call the scheduler. */
export const enqueueBuild = (
  deps: Pick<Deps, 'now'>,
  { id, accountId, applicationId }: Pick<Deployment, 'id' | 'accountId' | 'applicationId'>,
): Write[] => [
  create(QueuedBuild, { id, accountId, applicationId, queuedAt: deps.now().toISOString() }),
  upsert(BuildQueue, { accountId }, { set: { accountId, ...schedule(BuildQueue, deps.now()) }, add: { waiting: 1 } }),
];

/** Clears the next build once it has a builder, or no longer needs one, so that the scheduler can admit another. May be repeated. */
export async function clearNextBuild(deps: Pick<Deps, 'table'>, deploymentId: string): Promise<void> {
  const isThisBuild = { deploymentId: { is: deploymentId } };
  await tryTransact(deps, [remove(NextBuild, {}, isThisBuild, concurrentUpdate)]);
}

/** True while a deployment waits in its account's build queue, before its execution has started. */
export const isInBuildQueue = ({ status, trigger, admittedAt, dueAt }: Deployment): boolean =>
  // Earlier versions started deployments immediately and gave them a due time.
  status === 'QUEUED' && trigger !== 'ROLLBACK' && admittedAt === undefined && dueAt === undefined;

/** The last position that is shown exactly; builds beyond it are not read. */
const MAX_POSITION = 1000;

/** Reads an account's build queue, and the account. */
export const readBuildQueue = ({ table }: Pick<Deps, 'table'>, accountId: string) =>
  Promise.all([
    table.all(QueuedBuild, queuedBuildsOf(accountId), { limit: MAX_POSITION, oldestFirst: true }),
    table.get(Account, { id: accountId }),
  ]);

/** Returns the position of a deployment in its account's build queue, from 1, and the reason why it waits. */
export function buildQueuePosition(
  deployment: Deployment,
  [queue, account]: readonly [QueuedBuild[], Account | undefined],
): { position: number; reason: string } | null {
  if (!isInBuildQueue(deployment)) return null;
  const { id, waiting } = deployment;
  if (waiting) return { position: 1, reason: 'Waiting for another operation on this application' };
  const index = queue.findIndex((queued) => queued.id === id);
  const limit = account && limitOf(account, 'concurrentBuilds');
  const isFull = limit !== undefined && (account?.buildCount ?? 0) >= limit;
  const reason = isFull
    ? `Waiting for another deployment: your plan runs ${limit} at once`
    : 'Waiting for a free builder';
  return { position: index < 0 ? Math.max(1, queue.length) : index + 1, reason };
}
