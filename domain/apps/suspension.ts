import { isDeepStrictEqual } from 'node:util';
import type { getApp as GetRoute } from '../../contract/apps/apps.ts';
import { SUSPENSION_CAUSES } from '../../contract/enums.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Output } from '../../contract/route.ts';
import { App, type Suspensions } from '../../table/entities/apps.ts';
import type { AccountScopedId } from '../../table/entity.ts';
import { unchanged } from '../../table/expressions.ts';
import { change, type Write } from '../../table/writes.ts';
import { concurrentUpdate } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { expectJob } from '../sweep/pending-jobs.ts';
import { emit } from '../webhooks/events.ts';

/**
 * Suspension of applications (docs/decisions/0031-suspension.md). An application may be suspended for several causes, and runs again
 * when the last one is removed. The stream applies the status to routes and functions.
 */

type Cause = (typeof SUSPENSION_CAUSES)[number];
type SuspensionList = NonNullable<Output<typeof GetRoute>['data']['suspensions']>;

/** Returns the suspensions of an application, oldest first; undefined if it is not suspended. */
export function viewSuspensions({ suspensions = {} }: Pick<App, 'suspensions'>): SuspensionList | undefined {
  const shown = SUSPENSION_CAUSES.flatMap((cause) => {
    const found = suspensions[cause];
    return found ? [{ cause, reason: found.reason, since: found.since }] : [];
  }).sort((a, b) => (a.since < b.since ? -1 : 1));
  return shown.length > 0 ? shown : undefined;
}

/** Returns the error for a suspended application, with the reason: 409. */
export function appSuspended(app: App): ApiError {
  const reason = viewSuspensions(app)?.[0]?.reason;
  return new ApiError('conflict', `This application is suspended${reason ? `: ${reason}` : '.'}`);
}

/** Throws 409 with the reason for a suspended application. */
export function assertNotSuspended(app: App): void {
  if (app.status === 'SUSPENDED') throw appSuspended(app);
}

/**
 * Changes the suspensions of an application, and emits an event if its status changes. Does nothing if `next` changes nothing, or if
 * the application is deleted.
 *
 * @param guard conditions on other items
 * @throws {ConcurrentUpdateError} if the application changed since it was read; the caller must read again
 */
async function changeSuspensions(
  deps: Pick<Deps, 'table' | 'now' | 'commit'>,
  { accountId, id }: AccountScopedId,
  next: (before: Suspensions) => Suspensions,
  guard: readonly Write[],
): Promise<App | undefined> {
  const app = await deps.table.get(App, { accountId, id });
  if (!app || app.status === 'DELETING') return undefined;
  const { suspensions: before = {}, suspensionVersion: version } = app;
  const suspensions = next(before);
  if (isDeepStrictEqual(suspensions, before)) return app;
  const [reason] = viewSuspensions({ suspensions }) ?? [];
  const status = reason ? ('SUSPENDED' as const) : ('RUNNING' as const);
  const suspensionVersion = (version ?? 0) + 1;
  const changed = { status, suspensions, suspensionVersion, updatedAt: deps.now().toISOString() };
  const when = {
    status: { is: app.status },
    suspensionVersion: unchanged(version),
  };
  const eventData = { applicationId: id, name: app.name };
  const event = reason
    ? emit(deps, accountId, 'app.suspended', { ...eventData, reason: reason.reason })
    : emit(deps, accountId, 'app.resumed', eventData);
  const effects = [event, expectJob(deps, App, app, 'app.apply-status', String(suspensionVersion))];
  const writes = [
    change(App, { accountId, id }, { set: changed, when }, concurrentUpdate),
    ...(status === app.status ? [] : effects),
    ...guard,
  ];
  return await deps.commit(
    writes,
    { ...app, ...changed },
    {
      action: reason ? 'app.suspended' : 'app.resumed',
      accountId,
      subjectId: id,
      before: { status: app.status, reason: viewSuspensions({ suspensions: before })?.[0]?.reason },
      after: { status, reason: reason?.reason },
    },
  );
}

/** Suspends an application for a cause. Repeating it with the same reason changes nothing. See {@link changeSuspensions}. */
export const addSuspension = (
  deps: Pick<Deps, 'table' | 'now' | 'commit'>,
  key: AccountScopedId,
  { cause, reason }: { cause: Cause; reason: string },
  guard: readonly Write[] = [],
) => {
  const now = deps.now().toISOString();
  return changeSuspensions(
    deps,
    key,
    (before) => ({ ...before, [cause]: { reason, since: before[cause]?.since ?? now } }),
    guard,
  );
};

/** Removes the suspension of an application for one cause; it stays suspended for any others. See {@link changeSuspensions}. */
export const removeSuspension = (
  deps: Pick<Deps, 'table' | 'now' | 'commit'>,
  key: AccountScopedId,
  cause: Cause,
  guard: readonly Write[] = [],
) => changeSuspensions(deps, key, ({ [cause]: _, ...others }) => others, guard);
