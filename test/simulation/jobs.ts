import type { PaymentDeps } from '../../domain/billing/top-ups.ts';
import { type JobQueues, performJob } from '../../domain/processes/jobs.ts';
import { PAYMENT_JOBS } from '../../domain/processes/payment-jobs.ts';

const unexpected = () => Promise.reject(new Error('no rule of this simulation hands such a job over'));

/** Queues whose jobs at the payment processor are performed at once, by the given process. */
export const jobsOf = (deps: PaymentDeps): { jobs: JobQueues } => ({
  jobs: {
    payments: {
      async send(jobs) {
        for (const job of jobs) await performJob(PAYMENT_JOBS, deps, job, async () => undefined);
      },
    },
    routes: { send: unexpected },
    workflows: { send: unexpected },
    mails: { send: unexpected },
  },
});
