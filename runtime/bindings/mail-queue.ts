import type { JobQueues } from '../../domain/processes/jobs.ts';
import { config } from '../config.ts';
import { jobQueue } from './job-queue.ts';

const url = config.MAIL_QUEUE_URL;

/** The queue of emails. An installation without a sender has no queue and drops all emails here. */
export const mailQueue: JobQueues['mails'] = url ? jobQueue(url) : { send: async () => undefined };
