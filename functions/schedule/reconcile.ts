import { readExpiredFlags } from '../../domain/operator/flags.ts';
import { countQuarantined } from '../../domain/processes/quarantine.ts';
import { reconcilers } from '../../domain/processes/reconciler.ts';
import { batchDeps as deps } from '../../runtime/batch-deps.ts';
import { buildRunner } from '../../runtime/bindings/build-runner.ts';
import { capacityMeter } from '../../runtime/bindings/capacity-meter.ts';
import { databaseMetrics } from '../../runtime/bindings/database-metrics.ts';
import { deliveryQueue as queue } from '../../runtime/bindings/delivery-queue.ts';
import { machines } from '../../runtime/bindings/executions.ts';
import { registrar } from '../../runtime/bindings/registrar.ts';
import { routeQueue } from '../../runtime/bindings/route-queue.ts';
import { tlds } from '../../runtime/bindings/tlds.ts';
import { txt } from '../../runtime/bindings/txt-records.ts';
import { zoneSyncQueue } from '../../runtime/bindings/zone-sync-queue.ts';
import { cellsWith } from '../../runtime/cells.ts';
import { reportExpiredFlags } from '../../runtime/observability/flag-metrics.ts';
import { withReports } from '../../runtime/observability/reconciler-reports.ts';
import { reportQuarantine } from '../../runtime/observability/sweep-metrics.ts';
import { sweeper } from '../../runtime/triggers/sweeper.ts';

const cellOf = cellsWith({ capacityMeter });
const jobs = reconcilers({
  ...deps,
  ...machines,
  buildRunner,
  databaseMetrics,
  cellOf,
  txt,
  queue,
  jobs: { routes: routeQueue },
  zoneSyncQueue,
  registrar,
  tlds,
});

/** Every minute: finds overdue work and requeues it. */
export const handler = sweeper(withReports(jobs), async () => {
  reportExpiredFlags(await readExpiredFlags(deps));
  reportQuarantine(await countQuarantined(deps));
});
