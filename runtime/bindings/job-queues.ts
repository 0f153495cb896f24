import type { JobQueues } from '../../domain/processes/jobs.ts';
import { required } from '../config.ts';
import { jobQueue } from './job-queue.ts';
import { mailQueue } from './mail-queue.ts';
import { routeQueue } from './route-queue.ts';

/** The queues of jobs outside the table. */
export const jobQueues: JobQueues = {
  routes: routeQueue,
  payments: jobQueue(required('PAYMENT_QUEUE_URL')),
  workflows: jobQueue(required('WORKFLOW_QUEUE_URL')),
  mails: mailQueue,
};
