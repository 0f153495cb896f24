import * as z from 'zod/mini';
import type { Item } from '../../table/attributes.ts';
import type { Due } from '../../table/table.ts';
import { changeByKey } from '../../table/writes.ts';
import { NO_ACCOUNT } from '../audit/record.ts';
import { inChunks } from '../chunks.ts';
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
  due: Due;
  failure: SweepFailure;
}

async function findAll(deps: SweepDeps): Promise<Found[]> {
  const dues = await deps.table.due(QUARANTINE, { until: deps.now().toISOString(), limit: MAX_ITEMS });
  const found = await inChunks(dues, CONCURRENCY, async (due) => ({
    due,
    failure: failureIn(await deps.table.getByKey(due)),
  }));
  return found.flatMap(({ due, failure }) => (failure ? [{ due, failure }] : []));
}

/** Returns the failure of an item that is quarantined; undefined for any other: the index is some milliseconds behind. */
const failureIn = (stored: Item | undefined): SweepFailure | undefined =>
  stored?.duePk && 'S' in stored.duePk && stored.duePk.S === QUARANTINE ? sweepFailureOf(stored) : undefined;

/** Lists quarantined items, those that have waited longest first, at most 500. */
export async function listQuarantined(deps: SweepDeps): Promise<{ items: QuarantinedItem[] }> {
  const found = await findAll(deps);
  const items = found.map(({ due: { pk, sk, dueAt }, failure: { duePk, count, error } }) => ({
    ...{ pk, sk, queue: duePk, failures: count, error, since: dueAt },
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

/** Returns quarantined items to their queues, due now and without their failures. At most 500 of a queue by one call. */
export async function releaseQuarantined(
  deps: SweepDeps & Pick<Deps, 'commit'>,
  which: z.output<typeof ReleaseInput>,
): Promise<{ released: number }> {
  const isMeant = ({ due, failure }: Found) =>
    'all' in which ||
    ('queue' in which
      ? failure.duePk === which.queue || failure.duePk.startsWith(`${which.queue}#`)
      : due.pk === which.pk && due.sk === which.sk);
  let released = 0;
  for (const { due, failure } of (await findAll(deps)).filter(isMeant)) {
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

/** Takes quarantined items out of all queues: nothing is done about them any more. At most 500 by one call. @returns their number */
export async function discardQuarantined(deps: SweepDeps): Promise<number> {
  let discarded = 0;
  for (const { due } of await findAll(deps)) {
    const what = { remove: ['duePk', 'dueAt', 'sweepFailure'], when: { duePk: { is: QUARANTINE } } };
    const write = changeByKey(due, what, concurrentUpdate);
    if (await ignoreConflict(deps.table.updateReturningChanged(write))) discarded += 1;
  }
  return discarded;
}
