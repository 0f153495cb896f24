import { consume } from '../../events/consume.ts';
import { rules } from '../../events/rules.ts';
import { batchDeps as deps } from '../../runtime/batch-deps.ts';
import { deliveryQueue as queue } from '../../runtime/bindings/delivery-queue.ts';
import { jobQueues as jobs } from '../../runtime/bindings/job-queues.ts';
import { zoneSyncQueue } from '../../runtime/bindings/zone-sync-queue.ts';

/** Starts the side effects of each change to the table: what is outside of it is handed over to queues. */
export const handler = consume(rules({ ...deps, jobs, queue, zoneSyncQueue }));
