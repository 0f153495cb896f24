import * as z from 'zod/mini';
import { fromItem } from '../../../table/attributes.ts';
import type { ItemKey } from '../../../table/table.ts';
import type { Deps } from '../../deps.ts';
import { createBudget, RUN_BUDGET_MS } from '../../sweep/budget.ts';

/** Items read at once. */
export const BATCH_SIZE = 100;
/** Position from which to continue: the output of the run before. Nothing for the beginning. */
export const RestoreInput = () => z.object({ cursor: z.optional(z.object({ pk: z.string(), sk: z.string() })) });
export type RestoreInput = z.output<ReturnType<typeof RestoreInput>>;

/** The problems that a report names one by one. */
const MAX_PROBLEMS = 50;

/** A reason to leave something as it is, in words for the operator. */
export class Unrestorable extends Error {
  override readonly name = 'Unrestorable';
}

/** A part of a report: problems that an operator has to look at. */
export interface Problems<P> {
  /** The first of them. */
  problems: P[];
  /** The number of those that are not among them, if any. */
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

/** Visits the stored items until the run's time is over. @returns the position, unless all were visited */
export async function visit(
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
