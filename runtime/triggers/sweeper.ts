import * as z from 'zod/mini';
import type { SweepReport } from '../../domain/sweep/sweep.ts';
import { type SweepJob, sweepAll } from '../../domain/sweep/sweep-all.ts';
import { deps } from '../deps.ts';
import { log } from '../observability/log.ts';
import { reportSweep } from '../observability/sweep-metrics.ts';
import { step } from './step.ts';

/** Returns a job that also passes its results to a report. */
export const reporting =
  <R>(job: SweepJob<R>, report: (swept: SweepReport<R>) => void): SweepJob<R> =>
  async (part) => {
    const swept = await job(part);
    report(swept);
    return swept;
  };

/**
 * Creates the handler of a scheduled Lambda function that sweeps due queues. A failed item is handled by the sweep and does not fail
 * the invocation. A queue that cannot be read fails it, after all other queues have been swept.
 * @param finish runs last, even if a queue could not be swept
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
