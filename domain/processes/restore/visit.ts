import * as z from 'zod/mini';
import { fromItem } from '../../../table/attributes.ts';
import type { ItemKey } from '../../../table/table.ts';
import type { Deps } from '../../deps.ts';
import { createBudget, RUN_BUDGET_MS } from '../../sweep/budget.ts';

/** Number of items read in one batch. */
export const BATCH_SIZE = 100;
/** Input of a run: the `cursor` from the output of the previous run, or no cursor to start at the beginning. */
export const RestoreInput = () => z.object({ cursor: z.optional(z.object({ pk: z.string(), sk: z.string() })) });
export type RestoreInput = z.output<ReturnType<typeof RestoreInput>>;

/** Most problems that a report lists. */
const MAX_PROBLEMS = 50;

/** A login or an application cannot be restored. The message gives the reason for the operator. */
export class Unrestorable extends Error {
  override readonly name = 'Unrestorable';
}

/** The part of a report with the problems that an operator has to solve. */
export interface Problems<P> {
  /** The first problems. */
  problems: P[];
  /** The number of further problems, if any. */
  moreProblems?: number;
}

/** Collects problems for a report. */
export function collectProblems<P>() {
  const problems: P[] = [];
  let moreProblems = 0;
  return {
    add(problem: P): void {
      if (problems.length < MAX_PROBLEMS) problems.push(problem);
      else moreProblems += 1;
    },
    report: (): Problems<P> => ({ problems, ...(moreProblems > 0 ? { moreProblems } : {}) }),
  };
}

/** Calls `act` with each stored item until the run's budget is spent. @returns the cursor for the next run, unless all items were visited */
export async function visitItems(
  deps: Pick<Deps, 'table' | 'now'>,
  { cursor }: RestoreInput,
  act: (item: Record<string, unknown>, key: ItemKey) => Promise<void>,
): Promise<{ cursor?: ItemKey }> {
  const budget = createBudget(deps, RUN_BUDGET_MS);
  let after = cursor;
  do {
    const { items, next } = await deps.table.scan({ limit: BATCH_SIZE, after });
    for (const stored of items) {
      const item = fromItem(stored);
      await act(item, { pk: String(item.pk), sk: String(item.sk) });
    }
    after = next;
    if (after && budget.isSpent()) return { cursor: after };
  } while (after);
  return {};
}
