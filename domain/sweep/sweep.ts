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
import { AccountRoundRobin } from './round-robin.ts';

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

/** A due queue: the entity whose items it holds, and the work that is done on each item when it is due. */
export interface DueQueue<E extends Sweepable, D, R = unknown> {
  /** Name in the `due` index, and in logs, metrics and the operators' functions. */
  queue: QueueOf<E>;
  entity: E;
  /** Number of items that are processed concurrently; 1 unless given. */
  concurrency?: number;
  /** Number of keys read in one page from each partition of the index; 100 unless given. */
  pageSize?: number;
  /** An item whose work takes longer than this has failed, in milliseconds; 15,000 unless given. */
  timeoutMs?: number;
  /** True for items whose keys do not begin with their account: the account is read from the item, so that accounts take turns here too. */
  readsAccounts?: true;
  /** True for a queue in which items wait by design: the age of its items is not reported as lateness. */
  isBacklog?: true;
  /**
   * Does the work of a due item and sets its next due time, or removes it from the queue. Must be idempotent. The items of one
   * chunk are processed in the same tick, so that their requests can be batched.
   * @returns the result for the sweep's report, if any
   */
  act(deps: D, item: ItemOf<E>, due: Due): Promise<R | undefined>;
}

export type SweepDeps = Pick<Deps, 'table' | 'now'>;

export interface SweepOptions {
  /** {@link RUN_BUDGET_MS} unless given. */
  budget?: Budget | undefined;
  /** Items due at this time or earlier are processed, in ISO 8601; now unless given. */
  until?: string;
  /** Skips items due at this time or earlier, in ISO 8601. A resumed sweep keeps the value that it began with. */
  after?: string | undefined;
  /** Continues where an earlier call ended because its budget was spent. */
  resume?: Cursor | undefined;
}

/** Position at which a sweep ended: the keys that it found and did not process, and the partitions that have more. */
export interface Cursor {
  found: Due[];
  open: { duePk: string; from?: Due | undefined }[];
  last?: string | undefined;
  /** The lower bound that the sweep began with; all its positions are later. */
  after?: string | undefined;
}

export interface SweepReport<R = unknown> {
  queue: string;
  /** Number of items that were processed without an error. */
  done: number;
  /** Results of the work. */
  results: R[];
  failed: FailedItem[];
  /** Overdue time of the oldest item, in milliseconds. */
  oldestMs: number;
  /** Every item due at this time or earlier was processed. */
  reached: string;
  /** Present if the budget was spent before the queue was empty. */
  resume?: Cursor;
}

export interface FailedItem {
  pk: string;
  sk: string;
  error: unknown;
  /** Consecutive failures; undefined if this failure could not be recorded. */
  failures: number | undefined;
  quarantined: boolean;
}

/** Consecutive failures after which an item is quarantined. With the backoff, the tenth comes more than eight hours after the first. */
export const MAX_FAILURES = 10;
/** Backoff after an item's first failure, doubled with each further failure, in milliseconds. */
const FIRST_BACKOFF_MS = 60_000;
const PAGE_SIZE = 100;
/** Maximum number of keys read before processing starts, where one account has most of them. A key has about a hundred bytes. */
const MAX_AHEAD = 20_000;
/** The same limit for queues whose items have to be read to know their account. */
const MAX_READ_AHEAD = 2000;
const ITEM_TIMEOUT_MS = TIMEOUTS_S.schedule.item * 1000;
const MAX_ERROR_LENGTH = 500;

/** The partition of the `due` index that holds items taken out of their queues, by the time of their last failure. */
export const QUARANTINE = 'QUARANTINE';

/** An item's consecutive failures, stored next to the entity's attributes and removed by the next success. */
export interface SweepFailure {
  count: number;
  error: string;
  at: string;
  /** The partition of the queue in which the item failed. */
  duePk: string;
}

/** Processes the due items of a queue, oldest first and accounts in turn, until the budget is spent. Throws only if the index cannot be read. */
export async function sweep<E extends Sweepable, D, R>(
  deps: D & SweepDeps,
  queue: DueQueue<E, D, R>,
  { budget = createBudget(deps, RUN_BUDGET_MS), until = deps.now().toISOString(), ...options }: SweepOptions = {},
): Promise<SweepReport<R>> {
  const { concurrency = 1 } = queue;
  const report: SweepReport<R> = { queue: queue.queue, done: 0, results: [], failed: [], oldestMs: 0, reached: until };
  const start: Cursor = options.resume ?? {
    found: [],
    open: partitionsOf(queue.entity, queue.queue).map((duePk) => ({ duePk })),
    last: options.after,
    after: options.after,
  };
  const { after } = start;
  let { found, open, last } = start;
  while (found.length > 0 || open.length > 0) {
    if (budget.isSpent())
      return { ...report, reached: processedUntil(open, found, last), resume: { found, open, last, after } };
    if (found.length === 0) {
      ({ found, open } = await readDueKeys(deps, queue, open, { until, after }));
      const [oldest] = found;
      const age = oldest && !queue.isBacklog ? deps.now().getTime() - Date.parse(oldest.dueAt) : 0;
      report.oldestMs = Math.max(report.oldestMs, age || 0);
      continue;
    }
    const chunk = found.slice(0, concurrency);
    found = found.slice(concurrency);
    await processChunk(deps, queue, chunk, report);
    last = [last ?? '', ...chunk.map(({ dueAt }) => dueAt)].sort().at(-1);
  }
  return report;
}

/** Reads the next keys of open partitions, and more while one account has most of them. @returns the keys, accounts in turn, each account's oldest first */
async function readDueKeys(
  { table }: SweepDeps,
  { concurrency = 1, pageSize = PAGE_SIZE, readsAccounts }: DueQueue<Sweepable, never>,
  open: Cursor['open'],
  bounds: { until: string; after: string | undefined },
): Promise<Pick<Cursor, 'found' | 'open'>> {
  const accounts = new AccountRoundRobin();
  const found: Due[] = [];
  let unfinished = open;
  do {
    const pages = await Promise.all(
      unfinished.map(({ duePk, from }) => table.due(duePk, { ...bounds, limit: pageSize, from })),
    );
    found.push(...pages.flat());
    unfinished = pages.flatMap((page, index) =>
      page.length < pageSize ? [] : [{ duePk: unfinished[index]?.duePk ?? '', from: page.at(-1) }],
    );
    // Items that fit into one chunk are processed concurrently: their order does not matter.
    if (readsAccounts && found.length > concurrency) await accounts.readAccounts({ table }, found);
  } while (
    unfinished.length > 0 &&
    found.length < (readsAccounts ? MAX_READ_AHEAD : MAX_AHEAD) &&
    accounts.isMostlyOneAccount(found)
  );
  found.sort((a, b) => (a.dueAt < b.dueAt ? -1 : 1));
  return { found: accounts.order(found), open: unfinished };
}

/** Returns the time until which every item was processed: every remaining item is due later. */
function processedUntil(open: Cursor['open'], found: readonly Due[], last = ''): string {
  // A page may begin with the due time that the previous page ended with, hence one millisecond less.
  const remaining = [...found, ...open.flatMap(({ from }) => from ?? [])];
  return [last, ...remaining.map(({ dueAt }) => new Date((Date.parse(dueAt) || 0) - 1).toISOString())].sort()[0] ?? '';
}

/** Reads a chunk of items, then starts processing all of them in the same tick. */
async function processChunk<E extends Sweepable, D, R>(
  deps: D & SweepDeps,
  queue: DueQueue<E, D, R>,
  chunk: readonly Due[],
  report: SweepReport<R>,
): Promise<void> {
  const read = await Promise.allSettled(chunk.map((due) => deps.table.getByKey(due)));
  await Promise.all(
    chunk.map(async (due, index) => {
      const found = read[index];
      if (found?.status === 'rejected') report.failed.push(unrecordedFailure(due, found.reason));
      // The index lags some milliseconds behind the table: the item may have another due time by now, or be deleted.
      if (found?.status !== 'fulfilled' || !found.value || !isStillDue(found.value, due)) return;
      try {
        const { value } = found;
        const result = await withRequestId(textOf(value.requestId), () => processItem(deps, queue, due, value));
        if (result !== undefined) report.results.push(result);
        report.done += 1;
      } catch (error) {
        const failed = recordFailure(deps, due, found.value, error).catch(() => unrecordedFailure(due, error));
        report.failed.push(await failed);
      }
    }),
  );
}

const isStillDue = (stored: Item, { duePk, dueAt }: Due) =>
  textOf(stored.duePk) === duePk && textOf(stored.dueAt) === dueAt;

async function processItem<E extends Sweepable, D, R>(
  deps: D & SweepDeps,
  { entity, act, timeoutMs = ITEM_TIMEOUT_MS }: DueQueue<E, D, R>,
  due: Due,
  stored: Item,
): Promise<R | undefined> {
  const result = await withTimeout(
    timeoutMs,
    async () => await act(deps, entity.parse(fromItem(stored)) as ItemOf<E>, due),
  );
  if (stored.sweepFailure) {
    const cleared = changeByKey(due, { remove: ['sweepFailure'] }, concurrentUpdate);
    // If this write fails, the count stays until the next success removes it.
    await ignoreConflict(deps.table.updateReturningChanged(cleared)).catch(() => undefined);
  }
  return result;
}

const unrecordedFailure = ({ pk, sk }: Due, error: unknown): FailedItem => ({
  pk,
  sk,
  error,
  failures: undefined,
  quarantined: false,
});

/** Rejects when the work takes longer than the timeout, so that an item that hangs does not block the whole run. */
async function withTimeout<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
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
 * Postpones a failed item, or quarantines it. Writes by the item's key and not through its entity, because the item may not parse.
 * An item that was rescheduled before it failed keeps its new due time: the failure is only counted.
 */
async function recordFailure(deps: SweepDeps, due: Due, stored: Item, error: unknown): Promise<FailedItem> {
  const now = deps.now().getTime();
  const count = failureCountOf(stored) + 1;
  const quarantined = count >= MAX_FAILURES;
  const at = new Date(now).toISOString();
  const sweepFailure: SweepFailure = { count, error: describeError(error), at, duePk: due.duePk };
  // A queue may be swept ahead of time: a failure must not make an item due earlier than it was.
  const next = new Date(Math.max(now, Date.parse(due.dueAt) || 0) + FIRST_BACKOFF_MS * 2 ** (count - 1)).toISOString();
  const write = async (dueAt: string, set: Change['set']) => {
    const when = { duePk: { is: due.duePk }, dueAt: { is: dueAt } };
    const quarantine = quarantined ? { duePk: QUARANTINE, dueAt: at } : {};
    const update = { set: { ...set, ...quarantine, sweepFailure }, when };
    return await ignoreConflict(deps.table.updateReturningChanged(changeByKey(due, update, concurrentUpdate)));
  };
  if (!(await write(due.dueAt, { dueAt: next }))) {
    const changed = await deps.table.getByKey(due);
    if (changed) await write(textOf(changed.dueAt), {});
  }
  return { pk: due.pk, sk: due.sk, error, failures: count, quarantined };
}

const describeError = (error: unknown): string =>
  truncate(error instanceof Error ? `${error.name}: ${error.message}` : String(error), MAX_ERROR_LENGTH);

/** Returns the stored failures of an item; undefined if its last run succeeded. */
export function sweepFailureOf(stored: Item): SweepFailure | undefined {
  return stored.sweepFailure && (fromAttribute(stored.sweepFailure) as SweepFailure);
}
const failureCountOf = (stored: Item): number => sweepFailureOf(stored)?.count ?? 0;
