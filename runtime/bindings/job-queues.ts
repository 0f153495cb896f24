import type { JobQueues } from '../../domain/processes/jobs.ts';
import { createJobQueue, type JobQueue } from '../../providers/queues/job-queue.ts';
import { originFields } from '../../table/correlation.ts';
import { callAws } from '../aws/client.ts';
import { required } from '../config.ts';

const queue = <Name extends string>(url: string): JobQueue<Name> =>
  createJobQueue((operation, input) => callAws('sqs', operation, input), url, originFields);

/** The queues of jobs outside of the table. */
export const jobQueues: JobQueues = {
  routes: queue(required('ROUTE_QUEUE_URL')),
  payments: queue(required('PAYMENT_QUEUE_URL')),
  workflows: queue(required('WORKFLOW_QUEUE_URL')),
};
