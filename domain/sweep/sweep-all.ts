import { Sweep } from '../../table/entities/sweeps.ts';
import { upsert } from '../../table/writes.ts';
import type { Deps } from '../deps.ts';
import { type Budget, createBudget, RUN_BUDGET_MS } from './budget.ts';
import {
  type Cursor,
  type DueQueue,
  type Sweepable,
  type SweepDeps,
  type SweepOptions,
  type SweepReport,
  sweep,
} from './sweep.ts';

/** A sweep of one queue within a run over several. */
export type SweepJob<R = unknown> = (
  part: Required<Pick<SweepOptions, 'budget' | 'resume'>>,
) => Promise<SweepReport<R>>;

/** Returns the job that sweeps a queue. */
export const sweepJob =
  <E extends Sweepable, D, R>(deps: D & SweepDeps, queue: DueQueue<E, D, R>): SweepJob<R> =>
  (part) =>
    sweep(deps, queue, part);

/**
 * Sweeps a queue and processes each item once. One stored position covers all items, so that an item costs no write.
 * @param name name of the stored position ({@link Sweep})
 */
export async function sweepOnce<E extends Sweepable, D, R>(
  deps: D & SweepDeps,
  queue: DueQueue<E, D, R>,
  name: string,
  part: SweepOptions,
): Promise<SweepReport<R>> {
  const { table } = deps;
  const stored = await table.get(Sweep, { name });
  const { until = deps.now().toISOString() } = part;
  // If the clock was set back, the stored position lies in the future: every due item is processed again.
  const after = stored && stored.upTo <= until ? stored.upTo : undefined;
  const report = await sweep(deps, queue, { ...part, until, after });
  if (report.done + report.failed.length > 0)
    await table.write(Sweep, upsert(Sweep, { name }, { set: { name, upTo: report.reached } }));
  return report;
}

type Queues = Readonly<Record<string, DueQueue<Sweepable, never>>>;
/** The dependencies of all queues together. */
export type QueueDeps<Q extends Queues> = {
  [Name in keyof Q]: Q[Name] extends DueQueue<Sweepable, infer D> ? (deps: D) => void : never;
}[keyof Q] extends (deps: infer D) => void
  ? D & SweepDeps
  : never;

/** Returns one sweep job per queue, under the queue's name. */
export const sweepJobs = <Q extends Queues>(deps: QueueDeps<Q>, queues: Q) =>
  // `deps` satisfies every queue, but `Object.entries` loses the type of the individual queue.
  Object.fromEntries(Object.entries(queues).map(([name, queue]) => [name, sweepJob(deps as never, queue)])) as {
    [Name in keyof Q]: SweepJob<Q[Name] extends DueQueue<Sweepable, never, infer R> ? R : never>;
  };

/** Result of one sweep within a run. */
export type SweepOutcome = { report: SweepReport } | { error: unknown };

/**
 * Sweeps several queues within one budget. Each queue gets an equal share of the remaining time, so that no queue uses up the run;
 * unused time goes to the queues that have more items. The queue that is swept first changes every minute.
 *
 * @param report called after each sweep; a queue that is swept again is reported again
 */
export async function sweepAll(
  deps: Pick<Deps, 'now'>,
  jobs: Readonly<Record<string, SweepJob>>,
  report: (name: string, outcome: SweepOutcome) => void,
  budget: Budget = createBudget(deps, RUN_BUDGET_MS),
): Promise<void> {
  const all = Object.entries(jobs).map(([name, job]) => ({ name, job, resume: undefined as Cursor | undefined }));
  const first = Math.floor(deps.now().getTime() / 60_000) % Math.max(1, all.length);
  let open = [...all.slice(first), ...all.slice(0, first)];
  while (open.length > 0 && !budget.isSpent()) {
    const unfinished: typeof open = [];
    for (const [index, { name, job, resume }] of open.entries()) {
      try {
        const swept = await job({ budget: budget.share(open.length - index), resume });
        if (swept.resume) unfinished.push({ name, job, resume: swept.resume });
        report(name, { report: swept });
      } catch (error) {
        report(name, { error });
      }
    }
    open = unfinished;
  }
}
