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
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';

/** The lines of builds, one per account, from which the scheduler (scheduler.ts) admits one after another. */

/** The writes that put a deployment at the end of its account's line. The stream has the scheduler admit it in its turn. */
export const enqueueBuild = (
  deps: Pick<Deps, 'now'>,
  { id, accountId, applicationId }: Pick<Deployment, 'id' | 'accountId' | 'applicationId'>,
): Write[] => [
  create(QueuedBuild, { id, accountId, applicationId, queuedAt: deps.now().toISOString() }),
  upsert(BuildQueue, { accountId }, { set: { accountId, ...schedule(BuildQueue, deps.now()) }, add: { waiting: 1 } }),
];

/** A build that has its builder, or needs none any more, makes room for the next one. May be repeated. */
export async function freeNextBuild({ table }: Pick<Deps, 'table'>, deploymentId: string): Promise<void> {
  const ours = { deploymentId: { is: deploymentId } };
  await ignoreConflict(table.transact([remove(NextBuild, {}, ours, concurrentUpdate)]));
}

/** True while a deployment waits for its builder: nothing was started for it yet. */
export const isInLine = ({ status, trigger, admittedAt, dueAt }: Deployment): boolean =>
  // Those of earlier versions were started at once, and are due.
  status === 'QUEUED' && trigger !== 'ROLLBACK' && admittedAt === undefined && dueAt === undefined;

/** The longest part of a line that is counted. */
const MAX_POSITION = 1000;

/** Reads an account's line, and the account that it is the line of. */
export const readLine = ({ table }: Pick<Deps, 'table'>, accountId: string) =>
  Promise.all([
    table.all(QueuedBuild, queuedBuildsOf(accountId), { limit: MAX_POSITION, oldestFirst: true }),
    table.get(Account, { id: accountId }),
  ]);

/** Returns the place of a deployment in its account's line, from 1, and what it waits for. */
export function placeOf(
  deployment: Deployment,
  [line, account]: readonly [QueuedBuild[], Account | undefined],
): { position: number; reason: string } | null {
  if (!isInLine(deployment)) return null;
  const { id, waiting } = deployment;
  if (waiting) return { position: 1, reason: 'Waiting for what is under way before it' };
  const at = line.findIndex((queued) => queued.id === id);
  const limit = account && limitOf(account, 'concurrentBuilds');
  const isFull = limit !== undefined && (account?.buildCount ?? 0) >= limit;
  const reason = isFull
    ? `Waiting for another deployment: your plan runs ${limit} at once`
    : 'Waiting for a free builder';
  return { position: at < 0 ? Math.max(1, line.length) : at + 1, reason };
}
