import { deliver } from '../../domain/deliveries.ts';
import { DeliveryInput } from '../../domain/workflow.ts';
import { batchDeps as deps } from '../../runtime/batch-deps.ts';
import { consumer } from '../../runtime/consumer.ts';
import { reportAttempt } from '../../runtime/delivery-metrics.ts';
import { deliveryQueue as queue } from '../../runtime/delivery-queue.ts';
import { secrets } from '../../runtime/secrets.ts';
import { webhookSender as sender } from '../../runtime/webhook-sender.ts';

const needs = { ...deps, secrets, queue, sender };

/** Makes the attempts that the queue asks for. */
export const handler = consumer(DeliveryInput, async (message) =>
  reportAttempt(message, await deliver(needs, message)),
);
