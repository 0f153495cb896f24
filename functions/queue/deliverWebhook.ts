import { deliver } from '../../domain/webhooks/deliver.ts';
import { DeliveryInput } from '../../domain/workflow.ts';
import { batchDeps as deps } from '../../runtime/batch-deps.ts';
import { deliveryQueue as queue } from '../../runtime/bindings/delivery-queue.ts';
import { secrets } from '../../runtime/bindings/secrets.ts';
import { webhookSender as sender } from '../../runtime/bindings/webhook-sender.ts';
import { reportAttempt } from '../../runtime/delivery-metrics.ts';
import { consumer } from '../../runtime/triggers/consumer.ts';

const needs = { ...deps, secrets, queue, sender };

/** Makes the attempts that the queue asks for. */
export const handler = consumer(DeliveryInput, async (message) =>
  reportAttempt(message, await deliver(needs, message)),
);
