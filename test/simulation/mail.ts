import type { Mail } from '../../providers/mail/mailer.ts';
import type { Job } from '../../providers/queues/job-queue.ts';

/** The queue of jobs that send emails, which a simulated clock makes due, and the emails that were sent. */
export function simulatedMail(clock: { now: number }) {
  const queue: { job: Job; at: number }[] = [];
  const sent: Mail[] = [];
  /** While true, each email is refused. */
  const state = { refuses: false };
  return {
    queue,
    sent,
    state,
    mails: {
      async send(jobs: readonly Job[], delay = 0) {
        queue.push(...jobs.map((job) => ({ job, at: clock.now + delay * 1000 })));
      },
    },
    mailer: {
      async send(mail: Mail) {
        if (state.refuses) throw new Error('MessageRejected');
        sent.push(mail);
      },
    },
    /** Performs what is due, and what that queues. */
    async drain(perform: (job: Job) => Promise<unknown>): Promise<void> {
      for (;;) {
        const index = queue.findIndex(({ at }) => at <= clock.now);
        const [next] = index < 0 ? [] : queue.splice(index, 1);
        if (!next) return;
        await perform(next.job);
      }
    },
  };
}
