import type { JobQueues } from '../../domain/processes/jobs.ts';
import { required } from '../config.ts';
import { jobQueue } from './job-queue.ts';

/** The queue of jobs that change routes. */
export const routeQueue: JobQueues['routes'] = jobQueue(required('ROUTE_QUEUE_URL'));
