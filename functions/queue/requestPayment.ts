import { JobInput, performJob } from '../../domain/processes/jobs.ts';
import { PAYMENT_JOBS } from '../../domain/processes/payment-jobs.ts';
import { payments } from '../../runtime/bindings/payments.ts';
import { deps } from '../../runtime/deps.ts';
import { consumer } from '../../runtime/triggers/consumer.ts';

const needs = { ...deps, payments };

/** Processes the queue of payment jobs: requests payments from the payment provider. */
export const handler = consumer(JobInput, (job) => performJob(PAYMENT_JOBS, needs, job));
