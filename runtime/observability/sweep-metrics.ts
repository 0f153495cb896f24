import type { SweepReport } from '../../domain/sweep/sweep.ts';
import { log, metrics } from './log.ts';

/** The maximum number of failed items that are logged individually; of further ones, only the number is logged. */
const MAX_LOGGED = 20;

/** Logs the sweep of a queue, and records its backlog and failures for alarms (lib/stacks/measured-alarms.ts). */
export function reportSweep({ queue, done, failed, oldestMs, resume }: SweepReport): void {
  for (const { error, ...item } of failed.slice(0, MAX_LOGGED)) log.error('due item failed', error, { queue, ...item });
  log.info('queue swept', {
    done,
    failed: failed.length,
    more: resume !== undefined,
    // One metric for all queues, because a metric for each would cost more than the sweeps. The log line names the queue.
    queue,
    oldestSeconds: oldestMs / 1000,
    ...metrics(
      {},
      {
        SweepOldestDue: [oldestMs / 1000, 'Seconds'],
        ...(failed.length > 0 ? { SweepFailures: [failed.length, 'Count'] } : {}),
      },
    ),
  });
}

/** Records the number of quarantined items. */
export function reportQuarantine(count: number): void {
  log.info('quarantine counted', metrics({}, { SweepQuarantined: [count, 'Count'] }));
}
