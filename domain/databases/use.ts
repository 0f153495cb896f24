import type { DatabaseMetrics, DatabaseUsage } from '../../providers/databases/metrics.ts';
import { Account } from '../../table/entities/accounts.ts';
import {
  Database,
  DatabaseUse,
  DeletedDatabase,
  databaseListOf,
  deletedDatabasesOf,
} from '../../table/entities/databases.ts';
import { unchanged } from '../../table/expressions.ts';
import { schedule, unschedule } from '../../table/schedule.ts';
import { change, remove, upsert, type Write } from '../../table/writes.ts';
import { commitAsPlatform } from '../audit/record.ts';
import { concurrentUpdate, ignoreConflict, tryTransact } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import type { DueQueue } from '../sweep/sweep.ts';
import { HOUR_MS, MINUTE_MS, monthOf } from '../time.ts';
import { accessOf, isUsed } from './access.ts';
import { scheduleCheck } from './databases.ts';

/**
 * Measurement of the use of databases, per account (docs/decisions/0084-limits-of-databases.md). The sums are stored on the account's
 * item, where limits are evaluated, and decide who may open connections.
 */

/** Time between two measurements in milliseconds: CloudWatch charges for each metric that is read. */
const INTERVAL_MS = 3 * HOUR_MS;
/** Time between two measurements of an account that has used {@link CLOSE_SHARE} of a limit, in milliseconds. */
const SHORT_INTERVAL_MS = HOUR_MS;
const CLOSE_SHARE = 0.5;
/** Time after the end of a month at which accounts that have reached a limit are measured, in milliseconds. */
const AFTER_MONTH_MS = 5 * MINUTE_MS;
const BYTES_PER_MIB = 1024 ** 2;
/** Time after its deletion at which the metrics of a database are final, in milliseconds. */
const SETTLED_AFTER_MS = HOUR_MS;
/** Maximum deleted databases that one measurement settles, which are not measured again: a transaction has 100 writes. */
const MAX_SETTLED = 90;
/** Accounts that are measured concurrently. */
const CONCURRENCY = 5;

type UseDeps = Pick<Deps, 'table' | 'now' | 'newId'> & { databaseMetrics: Pick<DatabaseMetrics, 'readUsage'> };

/** Result of a measurement. */
export interface MeasuredUse {
  accountId: string;
  databases: number;
  mib: number;
  units: number;
  /** DPUs used since the previous measurement. */
  newUnits: number;
}

/** Returns the write that makes the next sweep measure the databases of an account. */
export const measureSoon = ({ now }: Pick<Deps, 'now'>, accountId: string): Write =>
  upsert(DatabaseUse, { accountId }, { set: { accountId, ...schedule(DatabaseUse, now()) }, add: { version: 1 } });

/** Makes the next sweep measure the databases of an account. */
export const startMeasuring = (deps: Pick<Deps, 'table' | 'now'>, accountId: string): Promise<void> =>
  deps.table.transact([measureSoon(deps, accountId)]);

/** Makes the next sweep measure the databases of an account whose limits changed, if they were ever measured. */
export async function reviewLimits(deps: Pick<Deps, 'table' | 'now'>, { id, databaseMonth }: Account): Promise<void> {
  if (databaseMonth !== undefined) await startMeasuring(deps, id);
}

function nextMeasurement(account: Account, now: Date): Date {
  const next = now.getTime() + (isUsed(account, CLOSE_SHARE, now) ? SHORT_INTERVAL_MS : INTERVAL_MS);
  const nextMonth = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) + AFTER_MONTH_MS;
  // Only accounts that have reached a limit: measuring all accounts at the end of the month would make due items late.
  return new Date(isUsed(account, 1, now) ? Math.min(next, nextMonth) : next);
}

/** Stores the use of a database, and who may open connections to it. The stream then applies a changed access to its cluster. */
async function storeUse(
  deps: UseDeps,
  database: Database,
  usage: DatabaseUsage | undefined,
  { account, now }: { account: Account; now: Date },
): Promise<void> {
  const access = accessOf(account, now);
  const isChanged = access !== (database.access ?? 'ALL');
  if (!usage && !isChanged) return;
  const set = {
    measuredAt: now.toISOString(),
    ...(usage && { units: usage.units, unitsMonth: monthOf(now) }),
    ...(usage?.storageBytes === undefined ? {} : { storageBytes: usage.storageBytes }),
    ...(isChanged ? { access, ...scheduleCheck(deps) } : {}),
  };
  // Of two concurrent measurements, one changes the access.
  const isFirst = isChanged ? { access: unchanged(database.access) } : {};
  const when = { id: { is: database.id }, status: { is: 'AVAILABLE' }, ...isFirst };
  const write = change(Database, database, { set, when }, concurrentUpdate);
  const { id: subjectId, accountId, name } = database;
  const changed = {
    action: 'database.access-changed' as const,
    accountId,
    subjectId,
    before: { name, access: database.access ?? 'ALL' },
    after: { name, access },
  };
  await ignoreConflict(isChanged ? commitAsPlatform(deps, [write], undefined, changed) : deps.table.transact([write]));
}

/** Reads the databases of an account, those deleted in the month, and the DPUs of databases that are no longer measured. */
async function readClusters(deps: UseDeps, { accountId, settledMonth, settledUnits = 0 }: DatabaseUse, month: string) {
  const databases: Database[] = [];
  for await (const database of deps.table.each(Database, databaseListOf(accountId))) databases.push(database);
  const deleted: DeletedDatabase[] = [];
  for await (const item of deps.table.newest(DeletedDatabase, deletedDatabasesOf(accountId), { pageSize: 100 }))
    if (monthOf(item.at) === month) deleted.push(item);
  return { databases, deleted, settledUnits: settledMonth === month ? settledUnits : 0 };
}

/** Returns the sums for the account's item. */
function sumsOf(
  { databases, settledUnits }: { databases: readonly Database[]; settledUnits: number },
  usages: ReadonlyMap<string, DatabaseUsage>,
  month: string,
) {
  const storageOf = ({ clusterId, status, storageBytes = 0 }: Database) =>
    // Storage stops counting as soon as the owner deletes the database.
    status === 'DELETING' ? 0 : (usages.get(clusterId ?? '')?.storageBytes ?? storageBytes);
  const units = [...usages.values()].reduce((total, usage) => total + usage.units, settledUnits);
  const bytes = databases.reduce((total, database) => total + storageOf(database), 0);
  return { databaseMonth: month, databaseUnits: Math.ceil(units), databaseMib: Math.ceil(bytes / BYTES_PER_MIB) };
}

/**
 * Ends a measurement: adds the DPUs of databases whose metrics are final to the stored sum, and schedules the next measurement. Does
 * nothing if another measurement was requested meanwhile: the item is due already, and that measurement does it.
 */
async function endMeasurement(
  deps: UseDeps,
  { accountId, version }: DatabaseUse,
  { deleted, settledUnits }: { deleted: readonly DeletedDatabase[]; settledUnits: number },
  usages: ReadonlyMap<string, DatabaseUsage>,
  { now, next }: { now: Date; next: Date | undefined },
): Promise<void> {
  const settled = deleted.filter(({ at }) => Date.parse(at) + SETTLED_AFTER_MS <= now.getTime()).slice(0, MAX_SETTLED);
  const units = settled.reduce((total, { clusterId }) => total + (usages.get(clusterId)?.units ?? 0), settledUnits);
  const update = {
    set: { settledMonth: monthOf(now), settledUnits: units, ...(next && schedule(DatabaseUse, next)) },
    remove: next ? [] : unschedule(DatabaseUse),
    add: { version: 1 },
    when: { version: { is: version } },
  };
  const ended = change(DatabaseUse, { accountId }, update, concurrentUpdate);
  const removed = settled.map((each) => remove(DeletedDatabase, each));
  await tryTransact(deps, [ended, ...removed]);
}

/** Measures the databases of an account. May be repeated at any time. @returns undefined if the account was deleted */
async function measureAccount(deps: UseDeps, use: DatabaseUse): Promise<MeasuredUse | undefined> {
  const { accountId } = use;
  // A single point in time: if the month ends during the measurement, use of the old month must not count in the new one.
  const now = deps.now();
  const month = monthOf(now);
  const account = await deps.table.get(Account, { id: accountId });
  if (!account) {
    await deps.table.transact([remove(DatabaseUse, { accountId })]);
    return undefined;
  }
  const clusters = await readClusters(deps, use, month);
  const { databases, deleted } = clusters;
  const ids = [...databases, ...deleted].flatMap(({ clusterId }) => clusterId ?? []);
  const usages = await deps.databaseMetrics.readUsage([...new Set(ids)], now);
  const sums = sumsOf(clusters, usages, month);
  const isSame = Object.entries(sums).every(([name, value]) => Reflect.get(account, name) === value);
  if (!isSame) await deps.table.transact([change(Account, { id: accountId }, { set: sums })]);
  const measured = { ...account, ...sums };
  const available = databases.filter(({ status }) => status === 'AVAILABLE');
  await Promise.all(
    available.map((database) =>
      storeUse(deps, database, usages.get(database.clusterId ?? ''), { account: measured, now }),
    ),
  );
  const hasDatabases = databases.length > 0 || deleted.length > 0;
  const next = hasDatabases ? nextMeasurement(measured, now) : undefined;
  await endMeasurement(deps, use, clusters, usages, { now, next });
  const { databaseMib: mib, databaseUnits: units } = sums;
  const before = account.databaseMonth === month ? (account.databaseUnits ?? 0) : 0;
  return { accountId, databases: databases.length, mib, units, newUnits: Math.max(0, units - before) };
}

/** Accounts whose databases are due for measurement. */
export const databaseUseQueue: DueQueue<typeof DatabaseUse, UseDeps, MeasuredUse> = {
  queue: 'DATABASE_USE',
  entity: DatabaseUse,
  concurrency: CONCURRENCY,
  act: (deps, use) => measureAccount(deps, use),
};
