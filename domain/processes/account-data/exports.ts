import {
  EXPORT_DAYS,
  type createExportLink as LinkRoute,
  type listExports as ListRoute,
  type startExport as StartRoute,
} from '../../../contract/accounts/export.ts';
import { ApiError } from '../../../contract/errors.ts';
import type { Input, Output } from '../../../contract/route.ts';
import { type ExportLinks, type Exports, LINK_SECONDS, UploadGone } from '../../../providers/exports/exports.ts';
import { AccountExport, exportsOf } from '../../../table/entities/account-data.ts';
import { Account } from '../../../table/entities/accounts.ts';
import { unchanged } from '../../../table/expressions.ts';
import { schedule, unschedule } from '../../../table/schedule.ts';
import { change, changeOrInspect, create, type Write } from '../../../table/writes.ts';
import { concurrentUpdate, tryChange } from '../../conflict.ts';
import type { Caller, Deps } from '../../deps.ts';
import { countToday, findAccount } from '../../limits/limits.ts';
import { pageBody } from '../../pages.ts';
import type { DueQueue } from '../../sweep/sweep.ts';
import { DAY_MS, timestampAfter } from '../../time.ts';
import { ArchiveTooLarge } from './archive.ts';
import { type ArchiveDeps, writeArchive } from './write-archive.ts';

/** Time for which one run writes an archive, in milliseconds. */
const SLICE_MS = 20_000;
/** Time after which another run may continue, in milliseconds. It is longer than a slice, so that no two runs write at the same time. */
const LEASE_MS = 120_000;

/** Returns the export as its account sees it. */
function view(
  { id, status, sizeBytes, createdAt, finishedAt }: AccountExport,
  now: Date,
): Output<typeof StartRoute>['data'] {
  const expiresAt = status === 'READY' && finishedAt ? timestampAfter(finishedAt, EXPORT_DAYS * DAY_MS) : null;
  const isOver = expiresAt !== null && expiresAt <= now.toISOString();
  return { id, status: isOver ? 'EXPIRED' : status, sizeBytes, createdAt, finishedAt, expiresAt };
}

const exportInProgress = () =>
  new ApiError('conflict', 'An export of this account is in progress. Start another one when it is ready.');

/**
 * Returns the write that marks an export as failed if it has not finished within a day; none if it has finished. Throws 409 while it is in
 * progress.
 */
async function failStaleExport({ table, now }: Deps, accountId: string, id: string): Promise<Write[]> {
  const found = await table.get(AccountExport, { accountId, id });
  if (!found || found.finishedAt !== null) return [];
  if (timestampAfter(found.createdAt, DAY_MS) > now().toISOString()) throw exportInProgress();
  const failure = { set: { status: 'FAILED', finishedAt: now().toISOString() }, remove: unschedule(AccountExport) };
  return [change(AccountExport, found, { ...failure, when: { finishedAt: { is: null } } }, exportInProgress)];
}

/** POST /dashboard/v1/account/export. Throws 409 while another export is in progress, and 429 beyond the daily limit. */
export async function startExport(deps: Deps, { accountId }: Caller): Promise<Output<typeof StartRoute>> {
  const account = await findAccount(deps, accountId);
  const now = deps.now();
  const createdAt = now.toISOString();
  const item: AccountExport = {
    id: deps.newId('exp'),
    accountId,
    status: 'QUEUED',
    sizeBytes: null,
    createdAt,
    finishedAt: null,
    dueAt: createdAt,
  };
  const { exportId: last } = account;
  const stale = last === undefined ? [] : await failStaleExport(deps, accountId, last);
  const when = { exportId: unchanged(last) };
  const update = { set: { exportId: item.id }, when };
  return await deps.commit(
    [
      changeOrInspect(Account, { id: accountId }, update, exportInProgress),
      countToday(deps, account, 'exportsPerDay'),
      create(AccountExport, item),
      ...stale,
    ],
    { data: view(item, now) },
  );
}

/** GET /dashboard/v1/account/export */
export async function listExports(
  deps: Deps,
  { accountId }: Caller,
  page: Input<typeof ListRoute>,
): Promise<Output<typeof ListRoute>> {
  return pageBody(await deps.table.list(AccountExport, exportsOf(accountId), page), (item) => view(item, deps.now()));
}

/** POST /dashboard/v1/account/export/{id}/link. Throws 404, and 409 for an archive that is not ready or has expired. */
export async function createExportLink(
  deps: Deps & { exportLinks: ExportLinks },
  { accountId }: Caller,
  { id }: Input<typeof LinkRoute>,
): Promise<Output<typeof LinkRoute>> {
  const item = await deps.table.get(AccountExport, { accountId, id });
  if (!item) throw new ApiError('not_found', 'Export not found.');
  const { status } = view(item, deps.now());
  if (status !== 'READY')
    throw new ApiError(
      'conflict',
      status === 'EXPIRED' ? `Exports are kept for ${EXPORT_DAYS} days.` : 'The export is not ready.',
    );
  const url = await deps.exportLinks.create(item);
  return await deps.commit([], { data: { id, url, expiresAt: timestampAfter(deps.now(), LINK_SECONDS * 1000) } });
}

/** Ends an export, and allows the account to start another one. */
async function finish(deps: Deps, { accountId, id }: AccountExport, set: Partial<AccountExport>): Promise<void> {
  const ended = { set: { ...set, finishedAt: deps.now().toISOString() }, remove: unschedule(AccountExport) };
  await deps.table.transact([
    change(AccountExport, { accountId, id }, { ...ended, when: { finishedAt: { is: null } } }, concurrentUpdate),
    change(Account, { id: accountId }, { remove: ['exportId'] }),
  ]);
}

/** Writes an export's archive for one slice of time. After a crash, the next run continues from the last saved state. */
async function advanceExport(deps: Deps & ArchiveDeps, item: AccountExport): Promise<void> {
  const { accountId, id, dueAt = '' } = item;
  const lease = schedule(AccountExport, timestampAfter(deps.now(), LEASE_MS));
  const acquire = { set: { status: 'RUNNING', ...lease }, when: { dueAt: { is: dueAt }, finishedAt: { is: null } } };
  const isAcquired = await tryChange(deps, AccountExport, { accountId, id }, acquire);
  if (!isAcquired) return;
  const reschedule = async (sizeBytes: number | null) => {
    const release = {
      set: { sizeBytes, ...schedule(AccountExport, deps.now()) },
      when: { dueAt: { is: lease.dueAt } },
    };
    await tryChange(deps, AccountExport, { accountId, id }, release);
  };
  try {
    const { done, sizeBytes } = await writeArchive(deps, item, timestampAfter(deps.now(), SLICE_MS));
    if (done) return await finish(deps, item, { status: 'READY', sizeBytes });
    await reschedule(sizeBytes);
  } catch (error) {
    if (error instanceof ArchiveTooLarge) return await finish(deps, item, { status: 'FAILED' });
    if (!(error instanceof UploadGone)) throw error;
    // The upload's parts no longer exist: the next run writes the archive from the beginning.
    await deps.exports.remove(item);
    await reschedule(null);
  }
}

/** Exports in progress. */
export const exportQueue: DueQueue<typeof AccountExport, Deps & { exports: Exports } & ArchiveDeps> = {
  queue: 'ACCOUNT_EXPORT',
  entity: AccountExport,
  timeoutMs: SLICE_MS + 15_000,
  act: advanceExport,
};
