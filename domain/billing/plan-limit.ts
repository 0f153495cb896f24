import { PLAN_GRACE_DAYS } from '../../contract/billing/plans.ts';
import type { Account } from '../../table/entities/accounts.ts';
import { DAY_MS, timestampAfter } from '../time.ts';

/**
 * Applications beyond the plan's limit (docs/decisions/0031-suspension.md). After the limit falls, the newest applications
 * keep running for a grace period and are then suspended. When the limit rises, they resume immediately.
 */

const GRACE_MS = PLAN_GRACE_DAYS * DAY_MS;

/** A limit that an account exceeds, with the time at which the applications beyond it are suspended. */
export type Step = NonNullable<Account['planLimit']>['steps'][number];

/**
 * Returns the steps of an account after a change of its limit or its number of applications; none if it exceeds no limit. A limit
 * below all known ones begins a grace period for the applications that only this limit excludes. A higher limit keeps the
 * times of the applications that it still excludes.
 */
export function nextSteps(
  steps: readonly Step[],
  { appLimit, appCount, now }: { appLimit: number; appCount: number; now: Date },
): Step[] {
  if (appCount <= appLimit) return [];
  const suspensionTimes = new Map<number, string>();
  for (const step of steps) {
    const limit = Math.max(step.appLimit, appLimit);
    // Steps are sorted by time, so the earliest time wins. A step that excludes no application is dropped: it would deny later
    // applications their grace period.
    if (limit < appCount && !suspensionTimes.has(limit)) suspensionTimes.set(limit, step.suspendsAt);
  }
  if (!suspensionTimes.has(appLimit)) suspensionTimes.set(appLimit, timestampAfter(now, GRACE_MS));
  return [...suspensionTimes]
    .map(([limit, suspendsAt]) => ({ appLimit: limit, suspendsAt }))
    .sort((a, b) => (a.suspendsAt < b.suspendsAt ? -1 : 1));
}

/** Returns the number of applications that may run now; the oldest ones may run. */
export const allowedApps = (steps: readonly Step[], now: Date): number =>
  Math.min(Infinity, ...steps.flatMap((step) => (step.suspendsAt <= now.toISOString() ? [step.appLimit] : [])));

/** Returns the next time at which applications are suspended; undefined if all steps have been enforced. */
export const nextSuspension = ({ steps, enforcedUntil }: NonNullable<Account['planLimit']>): string | undefined =>
  steps.find(({ suspendsAt }) => suspendsAt > enforcedUntil)?.suspendsAt;
