import type { SweepReport } from '../../domain/sweep/sweep.ts';
import { log, metrics } from './log.ts';

/** The maximum number of failed items that are logged individually; of further ones, only the number is logged. */
const MAX_LOGGED = 20;

/**
 * Age in seconds from which a due item is reported to CloudWatch: two runs of a scheduled job, below which work is on time. A metric has
 * a price for each hour in which it is written.
 */
const LATE_S = 120;

/** Logs the sweep of a queue, unless nothing was due. Records a backlog and failures for alarms (lib/stacks/measured-alarms.ts). */
export function reportSweep({ queue, done, failed, oldestMs, resume }: SweepReport): void {
  for (const { error, ...item } of failed.slice(0, MAX_LOGGED)) log.error('due item failed', error, { queue, ...item });
  const oldestSeconds = oldestMs / 1000;
  const more = resume !== undefined;
  if (done === 0 && failed.length === 0 && oldestSeconds === 0 && !more) return;
  // One metric for all queues, because a metric for each would cost more than the sweeps. The log line names the queue.
  const values: Parameters<typeof metrics>[1] = {
    ...(oldestSeconds >= LATE_S ? { SweepOldestDue: [oldestSeconds, 'Seconds'] } : {}),
    ...(failed.length > 0 ? { SweepFailures: [failed.length, 'Count'] } : {}),
  };
  const measured = Object.keys(values).length > 0 ? metrics({}, values) : {};
  log.info('queue swept', { done, failed: failed.length, more, queue, oldestSeconds, ...measured });
}

/** Records the number of quarantined items, if there are any. */
export function reportQuarantine(count: number): void {
  if (count > 0) log.warn('items quarantined', metrics({}, { SweepQuarantined: [count, 'Count'] }));
}
