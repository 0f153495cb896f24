import { cellQueue } from '../apps/cell-room.ts';
import { ownershipQueue } from '../custom-domains/ownership.ts';
import { tenantQueue } from '../custom-domains/reconciliation.ts';
import { customDomainQueue } from '../custom-domains/verify.ts';
import { databaseQueue } from '../databases/clusters.ts';
import { deploymentQueue, teardownQueue } from '../deployments/executions.ts';
import { buildQueue } from '../deployments/scheduler.ts';
import { zoneQueue } from '../dns/sync.ts';
import { hostingQueue } from '../hosting/accounts.ts';
import { moveQueue } from '../moves/executions.ts';
import { domainQueue } from '../registrar/lifecycle.ts';
import type { DueQueue, SweepDeps } from '../sweep/sweep.ts';
import { sweepJob } from '../sweep/sweep-all.ts';
import { deliverySweeps } from '../webhooks/delivery-sweep.ts';
import { eventSweeps } from '../webhooks/event-sweep.ts';
import { accountQueue } from './suspension.ts';

type DepsOf<Q> = Q extends DueQueue<infer _E, infer D, infer _R> ? D : never;
type ReconcilerDeps = SweepDeps &
  Parameters<typeof deliverySweeps>[0] &
  DepsOf<typeof cellQueue> &
  DepsOf<typeof deploymentQueue> &
  DepsOf<typeof teardownQueue> &
  DepsOf<typeof moveQueue> &
  DepsOf<typeof hostingQueue> &
  DepsOf<typeof customDomainQueue> &
  DepsOf<typeof tenantQueue> &
  DepsOf<typeof ownershipQueue> &
  DepsOf<typeof databaseQueue> &
  DepsOf<typeof domainQueue> &
  DepsOf<typeof zoneQueue>;

/** The due queues of the reconciler, each with the job that sweeps it: whatever was started from the stream and may be lost. */
export const reconcilers = (deps: ReconcilerDeps) => ({
  ...deliverySweeps(deps),
  ...eventSweeps(deps),
  cells: sweepJob(deps, cellQueue),
  deployments: sweepJob(deps, deploymentQueue),
  builds: sweepJob(deps, buildQueue),
  teardowns: sweepJob(deps, teardownQueue),
  moves: sweepJob(deps, moveQueue),
  hosting: sweepJob(deps, hostingQueue),
  customDomains: sweepJob(deps, customDomainQueue),
  tenants: sweepJob(deps, tenantQueue),
  ownership: sweepJob(deps, ownershipQueue),
  databases: sweepJob(deps, databaseQueue),
  domains: sweepJob(deps, domainQueue),
  zones: sweepJob(deps, zoneQueue),
  accounts: sweepJob(deps, accountQueue),
});
