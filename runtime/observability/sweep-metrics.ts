import type { SweepReport } from '../../domain/sweep/sweep.ts';
import { log, metrics } from './log.ts';

/** Failed items that are logged one by one; of more only the number. */
const MAX_LOGGED = 20;

/** Logs and measures the sweep of a queue: how far it is behind, and what failed. Alarms read it (lib/stacks/measured-alarms.ts). */
export function reportSweep({ queue, done, failed, oldestMs, resume }: SweepReport): void {
  for (const { error, ...item } of failed.slice(0, MAX_LOGGED)) log.error('due item failed', error, { queue, ...item });
  log.info('queue swept', {
    done,
    failed: failed.length,
    more: resume !== undefined,
    // Once for all queues: a metric of each would cost more than the sweeps themselves. The log line names the queue.
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

/** Measures how many items are quarantined, until operators release them. */
export function reportQuarantine(count: number): void {
  log.info('quarantine counted', metrics({}, { SweepQuarantined: [count, 'Count'] }));
}
