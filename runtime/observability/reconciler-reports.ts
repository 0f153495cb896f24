import type { reconcilers } from '../../domain/processes/reconciler.ts';
import { reporting } from '../triggers/sweeper.ts';
import { reportDatabaseUse } from './database-metrics.ts';
import { reportEvents, reportOverdue } from './delivery-metrics.ts';
import { reportBuildQueues } from './deployment-metrics.ts';
import { reportUnconfirmed } from './domain-metrics.ts';

/** Returns the reconciler's jobs, with reports for those that have more to report than the number of items. */
export const withReports = (jobs: ReturnType<typeof reconcilers>) => ({
  ...jobs,
  queuedDeliveries: reporting(jobs.queuedDeliveries, reportOverdue),
  waitingDeliveries: reporting(jobs.waitingDeliveries, reportOverdue),
  events: reporting(jobs.events, reportEvents),
  lostEvents: reporting(jobs.lostEvents, reportEvents),
  domains: reporting(jobs.domains, reportUnconfirmed),
  builds: reporting(jobs.builds, reportBuildQueues),
  databaseUse: reporting(jobs.databaseUse, reportDatabaseUse),
});
