import type { DatabaseMetrics, DatabaseUsage } from '../../providers/databases/metrics.ts';
import { Account } from '../../table/entities/accounts.ts';
import {
  Database,
  DatabaseUse,
  DeletedDatabase,
  databaseListOf,
  deletedDatabasesOf,
} from '../../table/entities/databases.ts';
import { schedule, unschedule } from '../../table/schedule.ts';
import { change, remove, upsert, type Write } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { monthOf } from '../limits/limits.ts';
import type { DueQueue } from '../sweep/sweep.ts';
import { HOUR_MS, MINUTE_MS } from '../time.ts';
import { accessOf, fullestShare } from './access.ts';
import { scheduleCheck } from './databases.ts';

/**
 * The databases of an account are measured together (docs/decisions/0084-limits-of-databases.md): the sums are on the account's
 * item, where limits are decided, and decide who may open connections.
 */

/** Time between two measurements in milliseconds: CloudWatch charges for each metric that is read. */
const INTERVAL_MS = 3 * HOUR_MS;
/** Time between two measurements of an account that has used half of a limit. */
const SHORT_INTERVAL_MS = HOUR_MS;
const CLOSE_SHARE = 0.5;
/** Time after the end of a month at which the first of the next is measured. */
const AFTER_MONTH_MS = 5 * MINUTE_MS;
const BYTES_PER_MIB = 1024 ** 2;
/** Accounts that are measured at once. */
const CONCURRENCY = 5;

type UseDeps = Pick<Deps, 'table' | 'now'> & { databaseMetrics: Pick<DatabaseMetrics, 'readUsage'> };

/** Result of a measurement. */
export interface MeasuredUse {
  accountId: string;
  databases: number;
  mib: number;
  units: number;
  /** DPUs used since the measurement before. */
  newUnits: number;
}

/** The write that has the databases of an account measured with the next sweep. */
export const measureSoon = ({ now }: Pick<Deps, 'now'>, accountId: string): Write =>
  upsert(DatabaseUse, { accountId }, { set: { accountId, ...schedule(DatabaseUse, now()) }, add: { requests: 1 } });

/** Has the databases of an account measured. */
export const startMeasuring = (deps: Pick<Deps, 'table' | 'now'>, accountId: string): Promise<void> =>
  deps.table.transact([measureSoon(deps, accountId)]);

/** Has the databases of an account whose limits changed measured, if any ever were. */
export async function reviewLimits(deps: Pick<Deps, 'table' | 'now'>, { id, databaseMonth }: Account): Promise<void> {
  if (databaseMonth !== undefined) await startMeasuring(deps, id);
}

function nextMeasurement(account: Account, now: Date): Date {
  const interval = fullestShare(account, now) >= CLOSE_SHARE ? SHORT_INTERVAL_MS : INTERVAL_MS;
  const nextMonth = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) + AFTER_MONTH_MS;
  return new Date(Math.min(now.getTime() + interval, nextMonth));
}

/** Stores what one database uses, and who may open connections to it. The stream has its cluster follow. */
async function record(
  deps: UseDeps,
  database: Database,
  usage: DatabaseUsage | undefined,
  account: Account,
): Promise<void> {
  const now = deps.now();
  const access = accessOf(account, now);
  const isChanged = access !== (database.access ?? 'ALL');
  if (!usage && !isChanged) return;
  const set = {
    measuredAt: now.toISOString(),
    ...(usage && { units: usage.units, unitsMonth: monthOf(now) }),
    ...(usage?.storageBytes === undefined ? {} : { storageBytes: usage.storageBytes }),
    ...(isChanged ? { access, ...scheduleCheck(deps) } : {}),
  };
  const when = { id: { is: database.id }, status: { is: 'AVAILABLE' } };
  await ignoreConflict(deps.table.transact([change(Database, database, { set, when }, concurrentUpdate)]));
}

/** Measures the databases of an account. May be repeated at any time. @returns undefined where there are none any more */
async function measureAccount(deps: UseDeps, { accountId, requests }: DatabaseUse): Promise<MeasuredUse | undefined> {
  const now = deps.now();
  const month = monthOf(now);
  const end = async (what: Parameters<typeof change>[2]) => {
    const again = { ...what, when: { requests: { is: requests } } };
    // On a conflict another measurement was asked for, which the item is due for.
    await ignoreConflict(deps.table.transact([change(DatabaseUse, { accountId }, again, concurrentUpdate)]));
  };
  const account = await deps.table.get(Account, { id: accountId });
  if (!account) {
    await deps.table.transact([remove(DatabaseUse, { accountId })]);
    return undefined;
  }
  const databases: Database[] = [];
  for await (const database of deps.table.each(Database, databaseListOf(accountId))) databases.push(database);
  const deleted = await deps.table.all(DeletedDatabase, deletedDatabasesOf(accountId));
  const gone = deleted.filter(({ at }) => monthOf(new Date(at)) === month);
  const clusters = [
    ...databases.flatMap(({ clusterId }) => clusterId ?? []),
    ...gone.map(({ clusterId }) => clusterId),
  ];
  const usages = await deps.databaseMetrics.readUsage([...new Set(clusters)], now);
  const storageOf = ({ clusterId, status, storageBytes = 0 }: Database) =>
    // A deleted database takes no room from the moment on at which its owner deletes it.
    status === 'DELETING' ? 0 : (usages.get(clusterId ?? '')?.storageBytes ?? storageBytes);
  const units = Math.ceil([...usages.values()].reduce((total, usage) => total + usage.units, 0));
  const mib = Math.ceil(databases.reduce((total, each) => total + storageOf(each), 0) / BYTES_PER_MIB);
  const measured = { ...account, databaseMonth: month, databaseUnits: units, databaseMib: mib };
  const isSame = account.databaseMonth === month && account.databaseUnits === units && account.databaseMib === mib;
  const set = { databaseMonth: month, databaseUnits: units, databaseMib: mib };
  if (!isSame) await deps.table.transact([change(Account, { id: accountId }, { set })]);
  const available = databases.filter(({ status }) => status === 'AVAILABLE');
  await Promise.all(available.map((each) => record(deps, each, usages.get(each.clusterId ?? ''), measured)));
  await end(
    databases.length > 0
      ? { set: schedule(DatabaseUse, nextMeasurement(measured, now)) }
      : { remove: unschedule(DatabaseUse) },
  );
  const before = account.databaseMonth === month ? (account.databaseUnits ?? 0) : 0;
  return { accountId, databases: databases.length, mib, units, newUnits: Math.max(0, units - before) };
}

/** Accounts whose databases are to be measured. */
export const databaseUseQueue: DueQueue<typeof DatabaseUse, UseDeps, MeasuredUse> = {
  queue: 'DATABASE_USE',
  entity: DatabaseUse,
  concurrency: CONCURRENCY,
  act: (deps, use) => measureAccount(deps, use),
};
