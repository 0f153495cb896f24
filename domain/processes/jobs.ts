import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import type { Job, JobQueue } from '../../providers/queues/job-queue.ts';
import type { Entity } from '../../table/entity.ts';
import type { Deps } from '../deps.ts';
import { settlePending } from '../sweep/pending-jobs.ts';
import type { MAIL_JOBS } from './mail/mail-jobs.ts';
import type { PAYMENT_JOBS } from './payment-jobs.ts';
import type { ROUTE_JOBS } from './route-jobs.ts';
import type { WORKFLOW_JOBS } from './workflow-jobs.ts';

/**
 * Work outside of the table. Stream rules call no other service: each hands a job over to the queue of that service, where the job is
 * retried without delaying others (docs/decisions/0060-hand-over.md). A job reads its item again and does what the item's current state
 * requires, so it may be repeated, late or out of order.
 */

export type { JobQueue };

/** The queues of jobs, one for each service that may fail independently. */
export interface JobQueues {
  routes: JobQueue<keyof typeof ROUTE_JOBS>;
  payments: JobQueue<keyof typeof PAYMENT_JOBS>;
  workflows: JobQueue<keyof typeof WORKFLOW_JOBS>;
  mails: JobQueue<keyof typeof MAIL_JOBS>;
}

export interface JobRule<D> {
  /** @returns false if the item no longer exists */
  perform(deps: D & Pick<Deps, 'table'>, job: Job): Promise<boolean>;
}

/** Defines a job about an item of an entity. @param act does the work; `detail` is what the rule passed in addition to the item */
export const jobAbout = <T, K, D>(
  entity: Entity<T, K>,
  act: (deps: D, item: T, detail: string) => Promise<unknown>,
): JobRule<D> => ({
  async perform(deps, { key, detail = '' }) {
    const item = await deps.table.find(entity, key);
    if (item === undefined) return false;
    await act(deps, item, detail);
    return true;
  },
});

/** Returns the rule of a job that changes record as pending until it is done (`expectJob`). */
export const expected = <D>(rule: JobRule<D>): JobRule<D> => ({
  perform: (deps, message) =>
    settlePending(deps, { job: message.job, subject: message.key }, () => rule.perform(deps, message)),
});

/** The combined dependencies of all jobs of a queue. */
type NeedsOf<Jobs> = {
  [Name in keyof Jobs]: Jobs[Name] extends JobRule<infer D> ? (deps: D) => void : never;
}[keyof Jobs] extends (deps: infer All) => void
  ? All
  : never;

/** Pauses before a failed job is repeated within the invocation, in milliseconds. Afterwards its queue repeats it. */
const PAUSES_MS = [500, 2000];
/** A job that has taken longer than this is repeated by its queue only, in milliseconds. */
const MAX_REPEATED_MS = 5000;

/**
 * Performs a job. Resolves with the fields of its log line.
 * @param pause waits for a number of milliseconds
 */
export async function performJob<Jobs extends Readonly<Record<string, JobRule<never>>>>(
  jobs: Jobs,
  deps: NeedsOf<Jobs> & Pick<Deps, 'table' | 'now'>,
  message: Job,
  pause: (milliseconds: number) => Promise<unknown> = sleep,
): Promise<Record<string, unknown>> {
  const rule = jobs[message.job];
  // A later version queued the job. Its consumer performs the job once it is deployed.
  if (!rule) throw new Error(`This version has no job ${message.job}`);
  const began = deps.now().getTime();
  for (let attempt = 0; ; attempt += 1) {
    try {
      // `deps` satisfies every job of the queue.
      const done = await rule.perform(deps as never, message);
      return { job: message.job, accountId: message.accountId, key: message.key.pk, done };
    } catch (error) {
      const wait = PAUSES_MS[attempt];
      if (wait === undefined || deps.now().getTime() - began > MAX_REPEATED_MS) throw error;
      await pause(wait);
    }
  }
}

/** A message of a job queue. */
export const JobInput = z.object({
  job: z.string(),
  key: z.object({ pk: z.string(), sk: z.string() }),
  accountId: z.optional(z.string()),
  detail: z.optional(z.string()),
});
