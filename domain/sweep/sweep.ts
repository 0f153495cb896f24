import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { truncate } from '../../contract/text.ts';
import { fromAttribute, fromItem, type Item, textOf } from '../../table/attributes.ts';
import { withRequestId } from '../../table/correlation.ts';
import type { ItemOf } from '../../table/entity.ts';
import type { Change } from '../../table/expressions.ts';
import { type DueRule, partitionsOf, type QueueOf } from '../../table/schedule.ts';
import type { Due } from '../../table/table.ts';
import { changeByKey } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { type Budget, createBudget, RUN_BUDGET_MS } from './budget.ts';
import { Turns } from './turns.ts';

/**
 * The one loop over the due queues (docs/decisions/0027-sweeps.md). It isolates items: one that cannot be read, parsed or acted
 * on is postponed with backoff and counted, and after {@link MAX_FAILURES} failures quarantined, so that it never holds up
 * the others.
 */

/** An entity with due queues. */
export interface Sweepable {
  type: string;
  parse(item: unknown): unknown;
  due?: Pick<DueRule<never, string>, 'queues' | 'shards'> | undefined;
}

/** A due queue: whose items stand in it, and what is done about each when its time has come. */
export interface DueQueue<E extends Sweepable, D, R = unknown> {
  /** Name in the `due` index, and in logs, metrics and the operators' functions. */
  queue: QueueOf<E>;
  entity: E;
  /** Number of items acted on at once; 1 unless given. */
  concurrency?: number;
  /** Number of keys read at once from each partition of the index; 100 unless given. */
  pageSize?: number;
  /** An item whose work takes longer than this has failed, in milliseconds; 15,000 unless given. */
  timeoutMs?: number;
  /** True for items whose keys do not begin with their account: it is read from each, so that accounts take turns here too. */
  readsAccounts?: true;
  /** True for items that wait here for their turn, so that one that has been due for long is not late. */
  isLine?: true;
  /**
   * Does what an item is due for and gives it its next time, or none. May be repeated at any time. The items of one chunk
   * are acted on in the same tick, so that what they send can travel together.
   * @returns what is to be reported of it, if anything
   */
  act(deps: D, item: ItemOf<E>, due: Due): Promise<R | undefined>;
}

export type SweepDeps = Pick<Deps, 'table' | 'now'>;

export interface SweepOptions {
  /** {@link RUN_BUDGET_MS} unless given. */
  budget?: Budget | undefined;
  /** The latest time that is due, in ISO 8601; now unless given. */
  until?: string;
  /** Passes over what was due until then, in ISO 8601. A sweep that continues keeps the one that it began with. */
  after?: string | undefined;
  /** Continues where an earlier call ended because its budget was spent. */
  resume?: Cursor | undefined;
}

/** Position at which a sweep ended: keys that were found and not acted on, and the partitions that have more. */
export interface Cursor {
  found: Due[];
  open: { duePk: string; from?: Due | undefined }[];
  last?: string | undefined;
  /** The bound that the sweep began with: its positions are behind it. */
  after?: string | undefined;
}

export interface SweepReport<R = unknown> {
  queue: string;
  /** Number of items whose work was done. */
  done: number;
  /** Results of the work. */
  results: R[];
  failed: FailedItem[];
  /** Age of the oldest item that was due, in milliseconds. */
  oldestMs: number;
  /** Everything that was due until this time was acted on. */
  reached: string;
  /** Present where the budget was spent before the queue was empty. */
  resume?: Cursor;
}

export interface FailedItem {
  pk: string;
  sk: string;
  error: unknown;
  /** Failures in a row; undefined where this one could not be recorded. */
  failures: number | undefined;
  quarantined: boolean;
}

/** Failures in a row after which an item leaves its queue. With the backoff, the tenth comes more than eight hours after the first. */
export const MAX_FAILURES = 10;
/** An item that failed once is due again after this, doubled with each failure, in milliseconds. */
const FIRST_BACKOFF_MS = 60_000;
const PAGE_SIZE = 100;
/** Keys that are read at once, at most, where one account has most of them. A key has about a hundred bytes. */
const MAX_AHEAD = 20_000;
/** Items that are read at once, at most, where one account has most of them and an item's account is read with the item. */
const MAX_READ_AHEAD = 2000;
const ITEM_TIMEOUT_MS = TIMEOUTS_S.schedule.item * 1000;
const MAX_ERROR_LENGTH = 500;

/** The partition of the `due` index that holds items taken out of their queues, by the time of their last failure. */
export const QUARANTINE = 'QUARANTINE';

/** An item's failures, stored beside its own attributes and removed by the next success. */
export interface SweepFailure {
  count: number;
  error: string;
  at: string;
  /** The partition of the queue in which the item failed. */
  duePk: string;
}

/** Acts on every item of a queue whose time has come, oldest first and accounts in turn, until the budget is spent. Throws only where the index cannot be read. */
export async function sweep<E extends Sweepable, D, R>(
  deps: D & SweepDeps,
  queue: DueQueue<E, D, R>,
  { budget = createBudget(deps, RUN_BUDGET_MS), until = deps.now().toISOString(), ...options }: SweepOptions = {},
): Promise<SweepReport<R>> {
  const { concurrency = 1 } = queue;
  const report: SweepReport<R> = { queue: queue.queue, done: 0, results: [], failed: [], oldestMs: 0, reached: until };
  const begun: Cursor = options.resume ?? {
    found: [],
    open: partitionsOf(queue.entity, queue.queue).map((duePk) => ({ duePk })),
    last: options.after,
    after: options.after,
  };
  const { after } = begun;
  let { found, open, last } = begun;
  while (found.length > 0 || open.length > 0) {
    if (budget.isSpent())
      return { ...report, reached: reachedBy(open, found, last), resume: { found, open, last, after } };
    if (found.length === 0) {
      ({ found, open } = await readDueKeys(deps, queue, open, { until, after }));
      const [oldest] = found;
      const age = oldest && !queue.isLine ? deps.now().getTime() - Date.parse(oldest.dueAt) : 0;
      report.oldestMs = Math.max(report.oldestMs, age || 0);
      continue;
    }
    const chunk = found.slice(0, concurrency);
    found = found.slice(concurrency);
    await actOn(deps, queue, chunk, report);
    last = [last ?? '', ...chunk.map(({ dueAt }) => dueAt)].sort().at(-1);
  }
  return report;
}

/** Reads the next keys of open partitions, more while one account has most of them. @returns them by turns, the oldest first */
async function readDueKeys(
  { table }: SweepDeps,
  { concurrency = 1, pageSize = PAGE_SIZE, readsAccounts }: DueQueue<Sweepable, never>,
  open: Cursor['open'],
  bounds: { until: string; after: string | undefined },
): Promise<Pick<Cursor, 'found' | 'open'>> {
  const turns = new Turns();
  const found: Due[] = [];
  let rest = open;
  do {
    const pages = await Promise.all(
      rest.map(({ duePk, from }) => table.due(duePk, { ...bounds, limit: pageSize, from })),
    );
    found.push(...pages.flat());
    rest = pages.flatMap((page, at) =>
      page.length < pageSize ? [] : [{ duePk: rest[at]?.duePk ?? '', from: page.at(-1) }],
    );
    // What is acted on at once needs no turns.
    if (readsAccounts && found.length > concurrency) await turns.readAccounts({ table }, found);
  } while (
    rest.length > 0 &&
    found.length < (readsAccounts ? MAX_READ_AHEAD : MAX_AHEAD) &&
    turns.isMostlyOneAccount(found)
  );
  found.sort((a, b) => (a.dueAt < b.dueAt ? -1 : 1));
  return { found: turns.order(found), open: rest };
}

/** Returns the time until which every item was acted on: no item that is left was due by then. */
function reachedBy(open: Cursor['open'], found: readonly Due[], last = ''): string {
  // A page may begin with the time that the one before ended with.
  const rest = [...found, ...open.flatMap(({ from }) => from ?? [])];
  return [last, ...rest.map(({ dueAt }) => new Date((Date.parse(dueAt) || 0) - 1).toISOString())].sort()[0] ?? '';
}

/** Reads a chunk of items, then acts on them all in the same tick. */
async function actOn<E extends Sweepable, D, R>(
  deps: D & SweepDeps,
  queue: DueQueue<E, D, R>,
  chunk: readonly Due[],
  report: SweepReport<R>,
): Promise<void> {
  const read = await Promise.allSettled(chunk.map((due) => deps.table.getByKey(due)));
  await Promise.all(
    chunk.map(async (due, at) => {
      const found = read[at];
      if (found?.status === 'rejected') report.failed.push(notRecorded(due, found.reason));
      // The index is some milliseconds behind: an item may have another time by now, or be gone.
      if (found?.status !== 'fulfilled' || !found.value || !isStill(found.value, due)) return;
      try {
        const { value } = found;
        const result = await withRequestId(textOf(value.requestId), () => actOnItem(deps, queue, due, value));
        if (result !== undefined) report.results.push(result);
        report.done += 1;
      } catch (error) {
        const failed = recordFailure(deps, due, found.value, error).catch(() => notRecorded(due, error));
        report.failed.push(await failed);
      }
    }),
  );
}

const isStill = (stored: Item, { duePk, dueAt }: Due) =>
  textOf(stored.duePk) === duePk && textOf(stored.dueAt) === dueAt;

async function actOnItem<E extends Sweepable, D, R>(
  deps: D & SweepDeps,
  { entity, act, timeoutMs = ITEM_TIMEOUT_MS }: DueQueue<E, D, R>,
  due: Due,
  stored: Item,
): Promise<R | undefined> {
  const result = await within(timeoutMs, async () => await act(deps, entity.parse(fromItem(stored)) as ItemOf<E>, due));
  if (stored.sweepFailure) {
    const cleared = changeByKey(due, { remove: ['sweepFailure'] }, concurrentUpdate);
    // Where this write is lost the count stays, and the next success removes it.
    await ignoreConflict(deps.table.updateReturningChanged(cleared)).catch(() => undefined);
  }
  return result;
}

const notRecorded = ({ pk, sk }: Due, error: unknown): FailedItem => ({
  pk,
  sk,
  error,
  failures: undefined,
  quarantined: false,
});

/** An item that never ends must not take the whole run with it. */
async function within<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the work was not done within ${milliseconds} ms`)), milliseconds);
  });
  try {
    return await Promise.race([work(), expired]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Postpones an item, or quarantines it. Works on its key and not through its entity, because it may not parse. An item that got
 * another time before it failed keeps that: then the failure is only counted.
 */
async function recordFailure(deps: SweepDeps, due: Due, stored: Item, error: unknown): Promise<FailedItem> {
  const now = deps.now().getTime();
  const count = failuresOf(stored) + 1;
  const quarantined = count >= MAX_FAILURES;
  const at = new Date(now).toISOString();
  const sweepFailure: SweepFailure = { count, error: textOfError(error), at, duePk: due.duePk };
  // Queues may be swept ahead of time: an item is never due earlier because it failed.
  const next = new Date(Math.max(now, Date.parse(due.dueAt) || 0) + FIRST_BACKOFF_MS * 2 ** (count - 1)).toISOString();
  const write = async (dueAt: string, set: Change['set']) => {
    const when = { duePk: { is: due.duePk }, dueAt: { is: dueAt } };
    const leaves = quarantined ? { duePk: QUARANTINE, dueAt: at } : {};
    const what = { set: { ...set, ...leaves, sweepFailure }, when };
    return await ignoreConflict(deps.table.updateReturningChanged(changeByKey(due, what, concurrentUpdate)));
  };
  if (!(await write(due.dueAt, { dueAt: next }))) {
    const changed = await deps.table.getByKey(due);
    if (changed && textOf(changed.duePk) === due.duePk) await write(textOf(changed.dueAt), {});
  }
  return { pk: due.pk, sk: due.sk, error, failures: count, quarantined };
}

const textOfError = (error: unknown): string =>
  truncate(error instanceof Error ? `${error.name}: ${error.message}` : String(error), MAX_ERROR_LENGTH);

/** Returns what is stored about an item's failures. */
export function sweepFailureOf(stored: Item): SweepFailure | undefined {
  return stored.sweepFailure && (fromAttribute(stored.sweepFailure) as SweepFailure);
}
const failuresOf = (stored: Item): number => sweepFailureOf(stored)?.count ?? 0;
