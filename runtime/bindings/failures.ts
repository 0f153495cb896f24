import { createFailureQueue } from '../../providers/queues/failure-queue.ts';
import { callAws } from '../aws/client.ts';
import { required } from '../config.ts';

type Variable =
  `${'DELIVERY' | 'DNS' | 'ROUTE' | 'PAYMENT' | 'WORKFLOW' | 'MAIL' | 'STREAM' | 'SCHEDULE'}_FAILURES_URL`;

const queue = (variable: Variable) =>
  createFailureQueue((operation, input) => callAws('sqs', operation, input), required(variable));

/** The queues in which failed work waits. */
export const failureQueues = {
  deliveries: queue('DELIVERY_FAILURES_URL'),
  dns: queue('DNS_FAILURES_URL'),
  routes: queue('ROUTE_FAILURES_URL'),
  payments: queue('PAYMENT_FAILURES_URL'),
  workflows: queue('WORKFLOW_FAILURES_URL'),
  mails: queue('MAIL_FAILURES_URL'),
  stream: queue('STREAM_FAILURES_URL'),
  schedules: queue('SCHEDULE_FAILURES_URL'),
};
