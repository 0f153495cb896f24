import { consume } from '../../events/consume.ts';
import { rules } from '../../events/rules.ts';
import { batchDeps as deps } from '../../runtime/batch-deps.ts';
import { deliveryQueue as queue } from '../../runtime/bindings/delivery-queue.ts';
import { jobQueues as jobs } from '../../runtime/bindings/job-queues.ts';
import { zoneSyncQueue } from '../../runtime/bindings/zone-sync-queue.ts';

/** Applies the stream rules to changes of the table (lib/stacks/stream.ts). Rules hand work outside the table over to queues. */
export const handler = consume(rules({ ...deps, jobs, queue, zoneSyncQueue }));
