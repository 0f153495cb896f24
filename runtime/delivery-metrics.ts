import type { Attempted } from '../domain/deliveries.ts';
import type { Swept } from '../domain/delivery-sweep.ts';
import type { DeliveryMessage } from '../providers/delivery-queue.ts';
import { log, metrics, type Unit } from './log.ts';

/** What is logged and measured of a message that was taken care of. Nothing of what was sent or answered. */
export function deliveryMetrics(message: DeliveryMessage, done: Attempted): Record<string, unknown> {
  const { outcome, durationMs, lagMs, disabled, status } = done;
  const count = (yes: boolean): [number, Unit] => [yes ? 1 : 0, 'Count'];
  return {
    ...message,
    status,
    disabled,
    ...metrics(
      { outcome },
      {
        WebhookAttempts: [1, 'Count'],
        WebhookExhausted: count(status === 'FAILED'),
        WebhooksDisabled: count(disabled),
        ...(outcome === 'SKIPPED' || outcome === 'STALE'
          ? {}
          : { WebhookAttemptLatency: [durationMs, 'Milliseconds'] as [number, Unit] }),
        ...(lagMs === undefined ? {} : { WebhookLag: [lagMs, 'Milliseconds'] as [number, Unit] }),
      },
    ),
  };
}

/** Logs and measures how the deliveries are that should have been attempted long since. */
export function reportSweep(swept: Swept): Swept {
  const { queued, overdue, oldestMs } = swept;
  const values: Record<string, [number, Unit]> = {
    WebhookOldestDue: [oldestMs / 1000, 'Seconds'],
    WebhooksOverdue: [overdue, 'Count'],
  };
  log.info('deliveries swept', { queued, ...metrics({}, values) });
  return swept;
}
