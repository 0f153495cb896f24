import * as z from 'zod/mini';
import type { SweepReport } from '../../domain/sweep/sweep.ts';
import { type SweepJob, sweepAll } from '../../domain/sweep/sweep-all.ts';
import { deps } from '../deps.ts';
import { log } from '../observability/log.ts';
import { reportSweep } from '../observability/sweep-metrics.ts';
import { step } from './step.ts';

/** Returns a job that also reports what the work on its items returned. */
export const reporting =
  <R>(job: SweepJob<R>, report: (swept: SweepReport<R>) => void): SweepJob<R> =>
  async (part) => {
    const swept = await job(part);
    report(swept);
    return swept;
  };

/**
 * One Lambda of a schedule that sweeps due queues. Items that fail are the sweep's business and no failure of the invocation;
 * a queue that cannot be read is one, once all others were swept.
 * @param finish done last, whether or not queues could be swept
 */
export const sweeper = (jobs: Readonly<Record<string, SweepJob>>, finish: () => Promise<void> = async () => {}) =>
  step(z.unknown(), async () => {
    const done: Record<string, number> = {};
    const errors: unknown[] = [];
    await sweepAll(deps, jobs, (name, outcome) => {
      if ('report' in outcome) {
        reportSweep(outcome.report);
        done[name] = (done[name] ?? 0) + outcome.report.done;
      } else {
        log.error(`${name} could not be swept`, outcome.error);
        errors.push(outcome.error);
      }
    });
    await finish();
    if (errors.length > 0) throw new AggregateError(errors, `${errors.length} queues could not be swept`);
    return done;
  });
