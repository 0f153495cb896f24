import { createJobQueue, type JobQueue } from '../../providers/queues/job-queue.ts';
import { originFields } from '../../table/correlation.ts';
import { callAws } from '../aws/client.ts';

/** Returns the job queue with a URL. */
export const jobQueue = <Name extends string>(url: string): JobQueue<Name> =>
  createJobQueue((operation, input) => callAws('sqs', operation, input), url, originFields);
