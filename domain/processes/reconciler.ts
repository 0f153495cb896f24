import { cellQueue } from '../apps/cell-capacity.ts';
import { ownershipQueue } from '../custom-domains/ownership.ts';
import { tenantQueue } from '../custom-domains/reconciliation.ts';
import { customDomainQueue } from '../custom-domains/verify.ts';
import { databaseQueue } from '../databases/clusters.ts';
import { databaseUseQueue } from '../databases/use.ts';
import { deploymentQueue, teardownQueue } from '../deployments/executions.ts';
import { buildQueue } from '../deployments/scheduler.ts';
import { zoneQueue } from '../dns/sync.ts';
import { hostingQueue } from '../hosting/accounts.ts';
import { moveQueue } from '../moves/executions.ts';
import { domainQueue } from '../registrar/lifecycle.ts';
import { pendingJobQueue } from '../sweep/pending-jobs.ts';
import { type QueueDeps, sweepJobs } from '../sweep/sweep-all.ts';
import { deliverySweeps } from '../webhooks/delivery-sweep.ts';
import { eventSweeps } from '../webhooks/event-sweep.ts';
import { accountQueue } from './suspension.ts';

/** Due queues of work that the stream starts and that may be lost. */
const QUEUES = {
  cells: cellQueue,
  deployments: deploymentQueue,
  builds: buildQueue,
  teardowns: teardownQueue,
  moves: moveQueue,
  hosting: hostingQueue,
  customDomains: customDomainQueue,
  tenants: tenantQueue,
  ownership: ownershipQueue,
  databases: databaseQueue,
  databaseUse: databaseUseQueue,
  domains: domainQueue,
  zones: zoneQueue,
  accounts: accountQueue,
  jobs: pendingJobQueue,
};

/** The reconciler's jobs by name: one sweep per due queue, and the sweeps of webhook deliveries and events. */
export const reconcilers = (deps: QueueDeps<typeof QUEUES> & Parameters<typeof deliverySweeps>[0]) => ({
  ...deliverySweeps(deps),
  ...eventSweeps(deps),
  ...sweepJobs(deps, QUEUES),
});
