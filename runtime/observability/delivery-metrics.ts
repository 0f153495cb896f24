import type { SweepReport } from '../../domain/sweep/sweep.ts';
import type { AttemptResult } from '../../domain/webhooks/deliver.ts';
import type { DeliveryMessage } from '../../providers/webhooks/delivery-queue.ts';
import { log, mergeMetrics, metrics, type Unit } from './log.ts';

type Values = Record<string, [number, Unit]>;

/** Returns the log fields and metrics of a processed delivery message, without content of the request or response. */
export function reportAttempt(
  { accountId, webhookId, eventId, deliveryId, step }: DeliveryMessage,
  result: AttemptResult,
): Record<string, unknown> {
  const ids = { accountId, webhookId, eventId, deliveryId, step };
  const { outcome, durationMs, lagMs, disabled, status, enqueueError, settleError } = result;
  const attempted = outcome !== 'SKIPPED' && outcome !== 'STALE' && outcome !== 'FORWARDED';
  const values: Values = {
    WebhookAttempts: [1, 'Count'],
    WebhooksExhausted: [status === 'FAILED' ? 1 : 0, 'Count'],
    ...(attempted ? { WebhookAttemptLatency: [durationMs, 'Milliseconds'] } : {}),
  };
  if (disabled) log.warn('webhook endpoint disabled', ids);
  if (enqueueError !== undefined) log.warn('next attempt could not be queued', { ...ids, why: enqueueError });
  if (settleError !== undefined) log.warn('event could not be settled', { ...ids, why: settleError });
  // Without the outcome as a dimension, because a service level covers all outcomes (contract/limits/service-levels.ts).
  const lag = lagMs === undefined ? [] : [metrics({}, { WebhookLag: [lagMs, 'Milliseconds'] })];
  return { ...ids, status, ...mergeMetrics(metrics({ outcome }, values), ...lag) };
}

/** Logs the number of overdue deliveries, and the greatest delay as a metric. */
export function reportOverdue({ results }: SweepReport<number>): void {
  const oldest = results.reduce((max, delayMs) => Math.max(max, delayMs), 0);
  if (results.length === 0) return;
  const values: Values = { WebhookOldestDue: [oldest / 1000, 'Seconds'] };
  log.info('overdue deliveries queued', { overdue: results.length, ...metrics({}, values) });
}

/** Logs the number of events that were not settled in time, and the number of their deliveries that were queued again. */
export function reportEvents({ results }: SweepReport<number>): void {
  const late = results.reduce((sum, count) => sum + count, 0);
  log.info('unsettled events swept', { unsettled: results.length, late });
}
