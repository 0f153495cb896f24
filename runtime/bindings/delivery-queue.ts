import { createDeliveryQueue } from '../../providers/webhooks/delivery-queue.ts';
import { originFields } from '../../table/correlation.ts';
import { callAws } from '../aws/client.ts';
import { required } from '../config.ts';

export const deliveryQueue = createDeliveryQueue(
  (operation, input) => callAws('sqs', operation, input),
  { main: required('DELIVERY_QUEUE_URL'), slow: required('SLOW_DELIVERY_QUEUE_URL') },
  originFields,
);
