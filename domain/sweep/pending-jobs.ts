import type { JobQueue } from '../../providers/queues/job-queue.ts';
import { PendingJob } from '../../table/entities/jobs.ts';
import type { Entity } from '../../table/entity.ts';
import { schedule } from '../../table/schedule.ts';
import { remove, replace, type Write } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict, tryChange } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { HOUR_MS, MINUTE_MS, timestampAfter } from '../time.ts';
import type { DueQueue, SweepDeps } from './sweep.ts';

/**
 * Jobs that are done even if the stream loses the change that requires them (docs/decisions/0060-hand-over.md). The change writes an
 * item, and the job removes it once it is done. Until then, the sweep hands the job over again.
 */

/** Time after which the sweep hands a job over, in milliseconds. By then the stream has usually handed it over, and it is done. */
const FIRST_INTERVAL_MS = MINUTE_MS;
/** Longest time between two times, in milliseconds: what takes longer fails for a reason that more messages do not remove. */
const MAX_INTERVAL_MS = HOUR_MS;

/**
 * Returns the write that records a job about an item as pending, for the transaction of the change that requires the job.
 * @param change differs for each change of the item that requires the job
 */
export function expectJob<T extends K & { accountId: string }, K>(
  { now }: Pick<Deps, 'now'>,
  { key }: Pick<Entity<T, K>, 'key'>,
  item: T,
  job: PendingJob['job'],
  change: string,
): Write {
  const createdAt = now().toISOString();
  const dueAt = timestampAfter(createdAt, FIRST_INTERVAL_MS);
  const pending = { job, accountId: item.accountId, subject: key(item), change, createdAt, dueAt };
  return replace(PendingJob, pending, {}, concurrentUpdate);
}

/** Performs a job, and then removes its pending job unless a later change requires the job again. */
export async function settlePending<R>(
  { table }: Pick<Deps, 'table'>,
  id: { job: string; subject: PendingJob['subject'] },
  perform: () => Promise<R>,
): Promise<R> {
  // Read before the job reads its item: what changes afterwards replaces the pending job.
  const pending = await table.get(PendingJob, id);
  const result = await perform();
  if (pending)
    await ignoreConflict(
      table.write(PendingJob, remove(PendingJob, id, { change: { is: pending.change } }, concurrentUpdate)),
    );
  return result;
}

/** Jobs whose change the stream may have lost, or which failed. Each is handed over again, at intervals that double up to an hour. */
export const pendingJobQueue: DueQueue<typeof PendingJob, SweepDeps & { jobs: { routes: JobQueue } }> = {
  queue: 'PENDING_JOB',
  entity: PendingJob,
  // Messages of the same tick are sent together, ten at a time.
  concurrency: 10,
  async act({ table, now, jobs }, pending) {
    const { job, subject, accountId, change, createdAt } = pending;
    await jobs.routes.send([{ job, key: subject, accountId }]);
    const age = now().getTime() - Date.parse(createdAt);
    const interval = Math.min(Math.max(age, FIRST_INTERVAL_MS), MAX_INTERVAL_MS);
    const set = schedule(PendingJob, timestampAfter(now(), interval));
    await tryChange({ table }, PendingJob, pending, { set, when: { change: { is: change } } });
  },
};
