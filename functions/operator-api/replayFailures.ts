import { replayFailures as route } from '../../contract/operator/failures.ts';
import { replayFailures } from '../../domain/operator/failures.ts';
import { deliveryQueue as queue } from '../../runtime/bindings/delivery-queue.ts';
import { failureQueues } from '../../runtime/bindings/failures.ts';
import { jobQueues as jobs } from '../../runtime/bindings/job-queues.ts';
import { replays } from '../../runtime/bindings/replays.ts';
import { zoneSyncQueue } from '../../runtime/bindings/zone-sync-queue.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';
import { logReplayError } from '../../runtime/observability/failure-log.ts';

/** POST /operator/v1/failures/{name}/replay */
export const handler = endpoint(route, replayFailures, {
  failureQueues,
  queue,
  zoneSyncQueue,
  jobs,
  replays,
  onReplayError: logReplayError,
});
