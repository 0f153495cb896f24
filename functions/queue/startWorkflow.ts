import { JobInput, performJob } from '../../domain/processes/jobs.ts';
import { WORKFLOW_JOBS } from '../../domain/processes/workflow-jobs.ts';
import { buildRunner } from '../../runtime/bindings/build-runner.ts';
import { builds } from '../../runtime/bindings/builds.ts';
import { machines } from '../../runtime/bindings/executions.ts';
import { deps } from '../../runtime/deps.ts';
import { consumer } from '../../runtime/triggers/consumer.ts';

const needs = { ...deps, ...machines, builds, buildRunner };

/** Processes the queue of workflow jobs: starts and stops executions and builds. */
export const handler = consumer(JobInput, (job) => performJob(WORKFLOW_JOBS, needs, job));
