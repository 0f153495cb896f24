import * as z from 'zod/mini';
import { entity, type ItemOf, object, oneOf } from '../entity.ts';
import { joinKey as key } from '../keys.ts';

/**
 * A job that a change of an item requires, until it is done (domain/sweep/pending-jobs.ts). It is written in the transaction of the
 * change, so that a sweep hands the job over if the stream loses the change. There is one of each kind for an item.
 */
export type PendingJob = ItemOf<typeof PendingJob>;
export const PendingJob = /* @__PURE__ */ entity({
  type: 'PENDING_JOB',
  schema: () =>
    z.object({
      /** The job, in the queue of routes (domain/processes/route-jobs.ts). */
      job: oneOf(['app.apply-status', 'app.route-placeholder']),
      accountId: z.string(),
      /** The key of the item that the job is about. */
      subject: object({ pk: z.string(), sk: z.string() }),
      /** Differs for each change of the item that requires the job. */
      change: z.string(),
      createdAt: z.string(),
      dueAt: z.string(),
    }),
  key: ({ job, subject }: { job: string; subject: { pk: string; sk: string } }) => ({
    pk: subject.pk,
    sk: key('PENDING_JOB', subject.sk, job),
  }),
  due: { queues: ['PENDING_JOB'] },
});
