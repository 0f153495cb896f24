import { createZoneSyncQueue } from '../../providers/dns/sync-queue.ts';
import { callAws } from '../aws/client.ts';
import { required } from '../config.ts';

export const zoneSyncQueue = createZoneSyncQueue(
  (operation, input) => callAws('sqs', operation, input),
  required('ZONE_SYNC_QUEUE_URL'),
);
