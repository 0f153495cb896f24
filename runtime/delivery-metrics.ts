import type { Attempted } from '../domain/webhooks/deliver.ts';
import type { Swept } from '../domain/delivery-sweep.ts';
import type { SettledEvents } from '../domain/event-sweep.ts';
import type { DeliveryMessage } from '../providers/webhooks/delivery-queue.ts';
import { log, metrics, type Unit } from './observability/log.ts';

type Values = Record<string, [number, Unit]>;

/** What is logged and measured of a message that was taken care of. Nothing of what was sent or answered. */
export function reportAttempt(message: DeliveryMessage, done: Attempted): Record<string, unknown> {
  const { outcome, durationMs, lagMs, disabled, status, unqueued } = done;
  const attempted = outcome !== 'SKIPPED' && outcome !== 'STALE';
  const values: Values = {
    WebhookAttempts: [1, 'Count'],
    WebhooksExhausted: [status === 'FAILED' ? 1 : 0, 'Count'],
    ...(attempted ? { WebhookAttemptLatency: [durationMs, 'Milliseconds'] } : {}),
    ...(lagMs === undefined ? {} : { WebhookLag: [lagMs, 'Milliseconds'] }),
  };
  if (disabled) {
    const one: Values = { WebhooksDisabled: [1, 'Count'] };
    log.warn('webhook endpoint disabled', { ...message, ...metrics({}, one) });
  }
  if (unqueued !== undefined) log.warn('the next attempt could not be queued', { ...message, why: unqueued });
  return { ...message, status, ...metrics({ outcome }, values) };
}

/** Logs and measures how the deliveries are that should have been attempted long since. */
export function reportSweep(swept: Swept): Swept {
  const { queued, overdue, oldestMs } = swept;
  const values: Values = { WebhookOldestDue: [oldestMs / 1000, 'Seconds'], WebhooksOverdue: [overdue, 'Count'] };
  log.info('deliveries swept', { queued, ...metrics({}, values) });
  return swept;
}

/** Logs how many events were found to have reached their deliveries, and how many deliveries had to be brought on their way. */
export function reportEvents(settled: SettledEvents): SettledEvents {
  log.info('events settled', { ...settled });
  return settled;
}
