import { messageOf } from '../../domain/switches/switches.ts';
import { DeliveryInput, deliver, postpone } from '../../domain/webhooks/deliver.ts';
import { batchDeps as deps } from '../../runtime/batch-deps.ts';
import { deliveryQueue as queue } from '../../runtime/bindings/delivery-queue.ts';
import { secrets } from '../../runtime/bindings/secrets.ts';
import { switches } from '../../runtime/bindings/switches.ts';
import { webhookSender as sender } from '../../runtime/bindings/webhook-sender.ts';
import { reportAttempt } from '../../runtime/observability/delivery-metrics.ts';
import { consumer } from '../../runtime/triggers/consumer.ts';

const needs = { ...deps, secrets, queue, sender };

/** Attempts the queued webhook deliveries. */
export const handler = consumer(DeliveryInput, async (message) => {
  const act = messageOf(await switches(), 'deliveries') === undefined ? deliver : postpone;
  return reportAttempt(message, await act(needs, message));
});
