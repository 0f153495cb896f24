import { JobInput, performJob } from '../../domain/processes/jobs.ts';
import { MAIL_JOBS } from '../../domain/processes/mail/mail-jobs.ts';
import { mailQueue as mails } from '../../runtime/bindings/mail-queue.ts';
import { mailer } from '../../runtime/bindings/mailer.ts';
import { deps } from '../../runtime/deps.ts';
import { consumer } from '../../runtime/triggers/consumer.ts';

const needs = { ...deps, mailer, mails };

/** Processes the queue of email jobs: sends emails. */
export const handler = consumer(JobInput, (job) => performJob(MAIL_JOBS, needs, job));
