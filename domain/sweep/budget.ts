import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import type { Deps } from '../deps.ts';

/** A limit in time, by an injected clock. */
export interface Budget {
  isSpent(): boolean;
  /** Returns a budget of one of so many equal parts of what is left. */
  share(parts: number): Budget;
}

export function createBudget({ now }: Pick<Deps, 'now'>, milliseconds: number): Budget {
  const end = now().getTime() + milliseconds;
  const left = () => end - now().getTime();
  return { isSpent: () => left() <= 0, share: (parts) => createBudget({ now }, Math.max(0, left() / parts)) };
}

/** One run works for so long at most, in milliseconds: with the time for one item more, less than a function has (lib/stacks/schedules.ts). */
export const RUN_BUDGET_MS = TIMEOUTS_S.schedule.budget * 1000;
