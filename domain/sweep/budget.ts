import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import type { Deps } from '../deps.ts';

/** A time limit, measured by an injected clock. */
export interface Budget {
  /** Returns true once the time is over. */
  isSpent(): boolean;
  /** Divides the remaining time into equal parts and returns one of them. */
  share(parts: number): Budget;
}

/** Creates a budget that begins now. */
export function createBudget({ now }: Pick<Deps, 'now'>, milliseconds: number): Budget {
  const end = now().getTime() + milliseconds;
  const remaining = () => end - now().getTime();
  return { isSpent: () => remaining() <= 0, share: (parts) => createBudget({ now }, Math.max(0, remaining() / parts)) };
}

/** Budget of one run, in milliseconds: together with the timeout of one item, less than the function's timeout (lib/stacks/schedules.ts). */
export const RUN_BUDGET_MS = TIMEOUTS_S.schedule.budget * 1000;
