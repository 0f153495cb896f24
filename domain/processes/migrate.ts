import { fromItem, toItem } from '../../table/attributes.ts';
import { MIGRATION_RUNS, MigrationRun } from '../../table/entities/migrations.ts';
import type { Condition } from '../../table/expressions.ts';
import { type Migration, versionOf } from '../../table/migrations/migration.ts';
import { MIGRATIONS } from '../../table/migrations/migrations.ts';
import type { ItemKey } from '../../table/table.ts';
import { changeByKey, create, createStored, removeByKey, replace, type Write } from '../../table/writes.ts';
import { inChunks } from '../chunks.ts';
import { concurrentUpdate, retryOnConflict, tryTransact } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { createBudget, RUN_BUDGET_MS } from '../sweep/budget.ts';
import { HOUR_MS } from '../time.ts';

/** Items that are read in one batch, and the number of them that are changed concurrently. */
const BATCH_SIZE = 100;
const CONCURRENCY = 10;
const MAX_FAILURES_SHOWN = 10;
/** Time after which a migration with failed items scans the table again, in milliseconds. */
const REPEAT_FAILED_AFTER_MS = HOUR_MS;

interface Transformation {
  set: Record<string, unknown>;
  remove: readonly string[];
  when: Record<string, Condition>;
}

type MigrateDeps = Pick<Deps, 'table' | 'now'>;

/** Progress of all migrations after a run, for operators and metrics. */
export interface MigrationReport {
  /** True if all migrations of this version are done. */
  done: boolean;
  runs: MigrationRun[];
}

/**
 * Continues the migrations (docs/decisions/0050-mixed-versions.md), one after another, until they are done or the budget is spent. The
 * progress is stored after each batch, and changes of items are idempotent: a run may end at any point, and runs may be concurrent. An item
 * that cannot be changed is counted and does not block the others.
 */
export async function migrate(
  deps: MigrateDeps,
  { migrations = MIGRATIONS, budgetMs = RUN_BUDGET_MS }: { migrations?: readonly Migration[]; budgetMs?: number } = {},
): Promise<MigrationReport> {
  const budget = createBudget(deps, budgetMs);
  for (const migration of migrations) {
    let run = await begin(deps, migration);
    while (run?.status === 'RUNNING' && !budget.isSpent()) run = await continueRun(deps, migration, run);
    // A later migration may build on this one.
    if (run?.status !== 'DONE') break;
  }
  return await readMigrations(deps, migrations);
}

/** Returns the progress of all migrations that ran on this table, also of other versions. */
export async function readMigrations(
  { table }: Pick<Deps, 'table'>,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<MigrationReport> {
  const runs = await table.all(MigrationRun, MIGRATION_RUNS, { oldestFirst: true });
  const done = migrations.every(({ name }) => runs.some((run) => run.name === name && run.status === 'DONE'));
  return { done, runs };
}

/** Returns the migration's progress. Starts the migration in the first run, and again some time after it failed. */
async function begin(deps: MigrateDeps, { name }: Migration): Promise<MigrationRun | undefined> {
  const known = await deps.table.get(MigrationRun, { name });
  const now = deps.now();
  const isRepeated =
    known?.status === 'FAILED' && Date.parse(known.finishedAt ?? '') + REPEAT_FAILED_AFTER_MS <= now.getTime();
  if (known && !isRepeated) return known;
  const run: MigrationRun = {
    name,
    status: 'RUNNING',
    batches: (known?.batches ?? 0) + 1,
    scanned: 0,
    changed: 0,
    failed: 0,
    failures: [],
    startedAt: now.toISOString(),
  };
  return await storeProgress(deps, run, known);
}

/** Changes one batch of items, and stores the progress. @returns undefined if another run was first */
async function continueRun(
  deps: MigrateDeps,
  migration: Migration,
  run: MigrationRun,
): Promise<MigrationRun | undefined> {
  const { items, next } = await deps.table.scan({ limit: BATCH_SIZE, after: run.cursor });
  const stored = items.map((item) => fromItem(item));
  const outdated = stored.filter((item) => item.entity === migration.entity && versionOf(item) < migration.to);
  let changed = 0;
  const failures: MigrationRun['failures'] = [];
  await inChunks(outdated, CONCURRENCY, async (item) => {
    const key = { pk: String(item.pk), sk: String(item.sk) };
    try {
      if (await changeItem(deps, migration, key)) changed += 1;
    } catch (error) {
      failures.push({ ...key, error: String(error).slice(0, 300) });
    }
  });
  const failed = run.failed + failures.length;
  const { cursor: _, ...counts } = run;
  const after: MigrationRun = {
    ...counts,
    batches: run.batches + 1,
    scanned: run.scanned + items.length,
    changed: run.changed + changed,
    failed,
    failures: [...run.failures, ...failures].slice(0, MAX_FAILURES_SHOWN),
    ...(next
      ? { cursor: next }
      : { status: failed > 0 ? ('FAILED' as const) : ('DONE' as const), finishedAt: deps.now().toISOString() }),
  };
  return await storeProgress(deps, after, run);
}

/** Migrates one item in its current state. @returns false if it is migrated already or deleted */
async function changeItem(deps: MigrateDeps, { to, reads, forward }: Migration, key: ItemKey): Promise<boolean> {
  return await retryOnConflict(async () => {
    const found = await deps.table.getByKey(key);
    if (!found) return false;
    const item = fromItem(found);
    if (versionOf(item) >= to) return false;
    const { set = {}, remove = [], key: target } = forward(item) ?? {};
    const when = Object.fromEntries(['entityVersion', ...reads].map((name) => [name, isStill(item[name])]));
    const update = { set: { ...set, entityVersion: to }, remove, when };
    if (!target) await deps.table.updateReturningChanged(changeByKey(key, update, concurrentUpdate));
    else await deps.table.transact(move(item, target, update));
    return true;
  });
}

/** Returns the writes that atomically move a changed item to another key. */
function move(item: Record<string, unknown>, target: ItemKey, { set, remove, when }: Transformation): Write[] {
  const kept = Object.entries(item).filter(([name]) => !remove.includes(name));
  const moved = { ...Object.fromEntries(kept), ...set, ...target };
  const key = { pk: String(item.pk), sk: String(item.sk) };
  return [createStored(toItem(moved), concurrentUpdate), removeByKey(key, when, concurrentUpdate)];
}

const isStill = (value: unknown): Condition => {
  if (value === undefined) return 'absent';
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return { is: value as string };
  throw new Error('a migration reads texts, numbers and flags only');
};

/** Stores the progress, on the condition that it is unchanged since it was read. @returns undefined if another run was first */
async function storeProgress(
  deps: MigrateDeps,
  run: MigrationRun,
  before?: MigrationRun,
): Promise<MigrationRun | undefined> {
  const write: Write = before
    ? replace(MigrationRun, run, { batches: { is: before.batches } }, concurrentUpdate)
    : create(MigrationRun, run, concurrentUpdate);
  return (await tryTransact(deps, [write])) ? run : undefined;
}
