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
