import * as z from 'zod/mini';
import type { Item } from '../../table/attributes.ts';
import type { Due, ItemKey } from '../../table/table.ts';
import { changeByKey } from '../../table/writes.ts';
import { NO_ACCOUNT } from '../audit/record.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { QUARANTINE, type SweepDeps, type SweepFailure, sweepFailureOf } from '../sweep/sweep.ts';

/** An item that a sweep removed from its due queue because it kept failing. */
export interface QuarantinedItem {
  pk: string;
  sk: string;
  queue: string;
  failures: number;
  error: string;
  since: string;
}

/** Number of items that are read concurrently. */
const CONCURRENCY = 20;
/** Most items that one call returns, and releases unless it is given another number. */
const MAX_ITEMS = 500;

interface Found {
  due: ItemKey;
  since: string;
  failure: SweepFailure;
}

/** Returns the selected quarantined items, the oldest first. @param maxItems at most so many; 500 unless given */
async function findAll(deps: SweepDeps, isSelected: (found: Found) => boolean, maxItems = MAX_ITEMS): Promise<Found[]> {
  const found: Found[] = [];
  const until = deps.now().toISOString();
  for (let from: Due | undefined; ; ) {
    const dues = await deps.table.due(QUARANTINE, { until, limit: CONCURRENCY, ...(from ? { from } : {}) });
    const stored = await Promise.all(dues.map((due) => deps.table.getByKey(due)));
    for (const [index, due] of dues.entries()) {
      const failure = failureIn(stored[index]);
      const each = failure && { due, since: due.dueAt, failure };
      if (each && isSelected(each)) found.push(each);
    }
    from = dues.at(-1);
    if (dues.length < CONCURRENCY || found.length >= maxItems) return found.slice(0, maxItems);
  }
}

/** Returns the failure of a quarantined item; undefined for any other item, because the index lags some milliseconds behind the table. */
const failureIn = (stored: Item | undefined): SweepFailure | undefined =>
  stored?.duePk && 'S' in stored.duePk && stored.duePk.S === QUARANTINE ? sweepFailureOf(stored) : undefined;

/** Lists quarantined items, the oldest first, at most 500. */
export async function listQuarantined(deps: SweepDeps): Promise<{ items: QuarantinedItem[] }> {
  const found = await findAll(deps, () => true);
  const items = found.map(({ due: { pk, sk }, since, failure: { duePk, count, error } }) => ({
    pk,
    sk,
    queue: duePk,
    failures: count,
    error,
    since,
  }));
  return { items };
}

/** Counts quarantined items, at most 500. */
export const countQuarantined = async (deps: SweepDeps): Promise<number> =>
  (await deps.table.due(QUARANTINE, { until: deps.now().toISOString(), limit: MAX_ITEMS })).length;

/** Identifies one item by its key, all of a queue by its name, or all items. */
export const ReleaseInput = z.union([
  z.strictObject({ pk: z.string(), sk: z.string() }),
  z.strictObject({ queue: z.string() }),
  z.strictObject({ all: z.literal(true) }),
]);

async function findSelected(
  deps: SweepDeps,
  selection: z.output<typeof ReleaseInput>,
  maxItems: number,
): Promise<Pick<Found, 'due' | 'failure'>[]> {
  if ('pk' in selection) {
    const failure = failureIn(await deps.table.getByKey(selection));
    return failure ? [{ due: selection, failure }] : [];
  }
  if ('all' in selection) return await findAll(deps, () => true, maxItems);
  const { queue } = selection;
  return await findAll(deps, ({ failure: { duePk } }) => duePk === queue || duePk.startsWith(`${queue}#`), maxItems);
}

/**
 * Returns quarantined items to their queues, due now and with their failures cleared.
 * @param maxItems the most items in one call
 */
export async function releaseQuarantined(
  deps: SweepDeps & Pick<Deps, 'commit'>,
  selection: z.output<typeof ReleaseInput>,
  maxItems = MAX_ITEMS,
): Promise<{ released: number }> {
  let released = 0;
  for (const { due, failure } of await findSelected(deps, selection, maxItems)) {
    const set = { duePk: failure.duePk, dueAt: deps.now().toISOString() };
    const update = { set, remove: ['sweepFailure'], when: { duePk: { is: QUARANTINE } } };
    const write = changeByKey(due, update, concurrentUpdate);
    if (await ignoreConflict(deps.table.updateReturningChanged(write))) released += 1;
  }
  return await deps.commit(
    [],
    { released },
    { action: 'quarantine.released', accountId: NO_ACCOUNT, after: { ...selection, released } },
  );
}

/** Removes quarantined items from all queues, so that they are never processed again. */
export async function discardQuarantined(deps: SweepDeps, items: readonly QuarantinedItem[]): Promise<void> {
  for (const { pk, sk } of items) {
    const update = { remove: ['duePk', 'dueAt', 'sweepFailure'], when: { duePk: { is: QUARANTINE } } };
    await ignoreConflict(deps.table.updateReturningChanged(changeByKey({ pk, sk }, update, concurrentUpdate)));
  }
}
