import { createMirrorQueue } from '../providers/mirror-queue.ts';
import { callAws } from './aws/client.ts';
import { required } from './config.ts';

export const mirrorQueue = createMirrorQueue(
  (operation, input) => callAws('sqs', operation, input),
  required('MIRROR_QUEUE_URL'),
);
