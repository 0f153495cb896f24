import { readExpiredFlags } from '../../domain/operator/flags.ts';
import { countQuarantined } from '../../domain/processes/quarantine.ts';
import { reconcilers } from '../../domain/processes/reconciler.ts';
import { batchDeps as deps } from '../../runtime/batch-deps.ts';
import { buildRunner } from '../../runtime/bindings/build-runner.ts';
import { cellRooms } from '../../runtime/bindings/cell-rooms.ts';
import { deliveryQueue as queue } from '../../runtime/bindings/delivery-queue.ts';
import { machines } from '../../runtime/bindings/executions.ts';
import { registrar } from '../../runtime/bindings/registrar.ts';
import { tlds } from '../../runtime/bindings/tlds.ts';
import { txt } from '../../runtime/bindings/txt-records.ts';
import { zoneSyncQueue as mirrors } from '../../runtime/bindings/zone-sync-queue.ts';
import { cellsWith } from '../../runtime/cells.ts';
import { reportEvents, reportOverdue } from '../../runtime/observability/delivery-metrics.ts';
import { reportLines } from '../../runtime/observability/deployment-metrics.ts';
import { reportUnconfirmed } from '../../runtime/observability/domain-metrics.ts';
import { reportExpiredFlags } from '../../runtime/observability/flag-metrics.ts';
import { reportQuarantine } from '../../runtime/observability/sweep-metrics.ts';
import { reporting, sweeper } from '../../runtime/triggers/sweeper.ts';

const cellOf = cellsWith({ cellRooms });
const jobs = reconcilers({
  ...deps,
  ...machines,
  buildRunner,
  cellOf,
  txt,
  queue,
  mirrors,
  registrar,
  extensions: tlds,
});

/** Every minute: finds overdue work and requeues it. */
export const handler = sweeper(
  {
    ...jobs,
    queuedDeliveries: reporting(jobs.queuedDeliveries, reportOverdue),
    waitingDeliveries: reporting(jobs.waitingDeliveries, reportOverdue),
    events: reporting(jobs.events, reportEvents),
    lostEvents: reporting(jobs.lostEvents, reportEvents),
    domains: reporting(jobs.domains, reportUnconfirmed),
    builds: reporting(jobs.builds, reportLines),
  },
  async () => {
    reportExpiredFlags(await readExpiredFlags(deps));
    reportQuarantine(await countQuarantined(deps));
  },
);
