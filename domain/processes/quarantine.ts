import * as z from 'zod/mini';
import type { Item } from '../../table/attributes.ts';
import type { Due, ItemKey } from '../../table/table.ts';
import { changeByKey } from '../../table/writes.ts';
import { NO_ACCOUNT } from '../audit/record.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { QUARANTINE, type SweepDeps, type SweepFailure, sweepFailureOf } from '../sweep/sweep.ts';

/** An item that was taken out of its due queue because it kept failing. */
export interface QuarantinedItem {
  pk: string;
  sk: string;
  queue: string;
  failures: number;
  error: string;
  since: string;
}

/** Number of items read at once. */
const CONCURRENCY = 20;
/** Items shown or released by one call. */
const MAX_ITEMS = 500;

interface Found {
  due: ItemKey;
  since: string;
  failure: SweepFailure;
}

/** Returns the quarantined items that are meant, those that have waited longest first, at most 500. */
async function findAll(deps: SweepDeps, isMeant: (found: Found) => boolean): Promise<Found[]> {
  const found: Found[] = [];
  const until = deps.now().toISOString();
  for (let from: Due | undefined; ; ) {
    const dues = await deps.table.due(QUARANTINE, { until, limit: CONCURRENCY, ...(from ? { from } : {}) });
    const stored = await Promise.all(dues.map((due) => deps.table.getByKey(due)));
    for (const [at, due] of dues.entries()) {
      const failure = failureIn(stored[at]);
      const each = failure && { due, since: due.dueAt, failure };
      if (each && isMeant(each)) found.push(each);
    }
    from = dues.at(-1);
    if (dues.length < CONCURRENCY || found.length >= MAX_ITEMS) return found.slice(0, MAX_ITEMS);
  }
}

/** Returns the failure of an item that is quarantined; undefined for any other: the index is some milliseconds behind. */
const failureIn = (stored: Item | undefined): SweepFailure | undefined =>
  stored?.duePk && 'S' in stored.duePk && stored.duePk.S === QUARANTINE ? sweepFailureOf(stored) : undefined;

/** Lists quarantined items, those that have waited longest first, at most 500. */
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

async function findMeant(
  deps: SweepDeps,
  which: z.output<typeof ReleaseInput>,
): Promise<Pick<Found, 'due' | 'failure'>[]> {
  if ('pk' in which) {
    const failure = failureIn(await deps.table.getByKey(which));
    return failure ? [{ due: which, failure }] : [];
  }
  if ('all' in which) return await findAll(deps, () => true);
  const { queue } = which;
  return await findAll(deps, ({ failure: { duePk } }) => duePk === queue || duePk.startsWith(`${queue}#`));
}

/** Returns quarantined items to their queues, due now and without their failures. At most 500 of a queue by one call. */
export async function releaseQuarantined(
  deps: SweepDeps & Pick<Deps, 'commit'>,
  which: z.output<typeof ReleaseInput>,
): Promise<{ released: number }> {
  let released = 0;
  for (const { due, failure } of await findMeant(deps, which)) {
    const set = { duePk: failure.duePk, dueAt: deps.now().toISOString() };
    const what = { set, remove: ['sweepFailure'], when: { duePk: { is: QUARANTINE } } };
    const write = changeByKey(due, what, concurrentUpdate);
    if (await ignoreConflict(deps.table.updateReturningChanged(write))) released += 1;
  }
  return await deps.commit(
    [],
    { released },
    { action: 'quarantine.released', accountId: NO_ACCOUNT, after: { ...which, released } },
  );
}

/** Takes quarantined items out of all queues: nothing is done about them any more. */
export async function discardQuarantined(deps: SweepDeps, items: readonly QuarantinedItem[]): Promise<void> {
  for (const { pk, sk } of items) {
    const what = { remove: ['duePk', 'dueAt', 'sweepFailure'], when: { duePk: { is: QUARANTINE } } };
    await ignoreConflict(deps.table.updateReturningChanged(changeByKey({ pk, sk }, what, concurrentUpdate)));
  }
}
