import { PLAN_GRACE_DAYS } from '../../contract/billing/plans.ts';
import type { Account } from '../../table/entities/accounts.ts';
import { DAY_MS, timestampAfter } from '../time.ts';

/**
 * Applications beyond the plan's limit (docs/decisions/0031-suspension.md). When the limit falls, the newest applications
 * keep running for a grace period and are suspended then; when it rises, they resume at once.
 */

const GRACE_MS = PLAN_GRACE_DAYS * DAY_MS;

/** A limit that an account exceeds, and the time at which the applications beyond it are suspended. */
export type Step = NonNullable<Account['planLimit']>['steps'][number];

/**
 * Returns the steps of an account after a change of its limit or its applications; none where it exceeds no limit. A limit
 * that falls below all known ones begins a grace period for the applications that it is the first to exclude; one that
 * rises leaves the others their time.
 */
export function nextSteps(
  steps: readonly Step[],
  { appLimit, appCount, now }: { appLimit: number; appCount: number; now: Date },
): Step[] {
  if (appCount <= appLimit) return [];
  const kept = new Map<number, string>();
  for (const step of steps) {
    const limit = Math.max(step.appLimit, appLimit);
    // The earliest comes first. A step that excludes nothing now would deny later applications their grace period.
    if (limit < appCount && !kept.has(limit)) kept.set(limit, step.suspendsAt);
  }
  if (!kept.has(appLimit)) kept.set(appLimit, timestampAfter(now, GRACE_MS));
  return [...kept]
    .map(([limit, suspendsAt]) => ({ appLimit: limit, suspendsAt }))
    .sort((a, b) => (a.suspendsAt < b.suspendsAt ? -1 : 1));
}

/** Returns the number of applications that may run at a time, oldest first. */
export const allowedApps = (steps: readonly Step[], now: Date): number =>
  Math.min(Infinity, ...steps.flatMap((step) => (step.suspendsAt <= now.toISOString() ? [step.appLimit] : [])));

/** Returns the next time at which applications are suspended; undefined where all steps have been enforced. */
export const nextSuspension = ({ steps, enforcedUntil }: NonNullable<Account['planLimit']>): string | undefined =>
  steps.find(({ suspendsAt }) => suspendsAt > enforcedUntil)?.suspendsAt;
