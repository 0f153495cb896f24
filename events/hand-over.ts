import type { JobQueue, JobQueues } from '../domain/processes/jobs.ts';
import type { Entity } from '../table/entity.ts';
import type { Change } from './on.ts';

export interface HandOverDeps {
  jobs: JobQueues;
}

type JobName<Q extends keyof JobQueues> = Parameters<JobQueues[Q]['send']>[0][number]['job'];

/**
 * Returns a function that creates actions of rules. An action hands a job about the changed item over to a queue, so that a slow or
 * unavailable service does not hold up the stream.
 */
export const handOverTo =
  <Q extends keyof JobQueues, T extends K, K>(deps: HandOverDeps, queue: Q, { key }: Entity<T, K>) =>
  <Before extends T | undefined>(job: JobName<Q>, detail?: (item: T, change: Change<Before>) => string) =>
  (item: T, change: Change<Before>): Promise<void> => {
    const { accountId } = item as { accountId?: string };
    const jobs: JobQueue = deps.jobs[queue];
    return jobs.send([{ job, key: key(item), accountId, ...(detail ? { detail: detail(item, change) } : {}) }]);
  };
