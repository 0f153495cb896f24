import { JobInput, performJob } from '../../domain/processes/jobs.ts';
import { ROUTE_JOBS } from '../../domain/processes/route-jobs.ts';
import { appAccess } from '../../runtime/bindings/app-access.ts';
import { deployments } from '../../runtime/bindings/deployment-executions.ts';
import { hostRoutes } from '../../runtime/bindings/host-routes.ts';
import { cellsWith } from '../../runtime/cells.ts';
import { deps } from '../../runtime/deps.ts';
import { consumer } from '../../runtime/triggers/consumer.ts';

const needs = { ...deps, deployments, cellOf: cellsWith({ appAccess, hostRoutes }) };

/** Processes the queue of route jobs: changes the routes of host names. */
export const handler = consumer(JobInput, (job) => performJob(ROUTE_JOBS, needs, job));
