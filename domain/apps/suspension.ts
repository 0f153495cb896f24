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
import { emit } from '../webhooks/events.ts';

/**
 * Suspension of applications (docs/decisions/0031-suspension.md). The reasons are a set: an application runs again when
 * the last of them is gone. The stream stops and restores what is served.
 */

type Cause = (typeof SUSPENSION_CAUSES)[number];
type Shown = NonNullable<Output<typeof GetRoute>['data']['suspensions']>;

/** Returns the reasons of a suspended application, oldest first; undefined for any other. */
export function viewSuspensions({ suspensions = {} }: Pick<App, 'suspensions'>): Shown | undefined {
  const shown = SUSPENSION_CAUSES.flatMap((cause) => {
    const found = suspensions[cause];
    return found ? [{ cause, reason: found.reason, since: found.since }] : [];
  }).sort((a, b) => (a.since < b.since ? -1 : 1));
  return shown.length > 0 ? shown : undefined;
}

/** Makes the error for a suspended application, with the reason. */
export function appSuspended(app: App): ApiError {
  const reason = viewSuspensions(app)?.[0]?.reason;
  return new ApiError('conflict', `This application is suspended${reason ? `: ${reason}` : '.'}`);
}

/** Throws 409 with the reason for a suspended application. */
export function assertNotSuspended(app: App): void {
  if (app.status === 'SUSPENDED') throw appSuspended(app);
}

/**
 * Changes the reasons of an application, if that changes anything, with the event that follows. A deleted application stays
 * as it is.
 *
 * @param guard what must also be true of other items
 * @throws {ConcurrentUpdateError} where the application changed since it was read; the caller reads all again
 */
async function changeReasons(
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
  const changed = { status, suspensions, suspensionVersion: (version ?? 0) + 1, updatedAt: deps.now().toISOString() };
  const when = {
    status: { is: app.status },
    suspensionVersion: unchanged(version),
  };
  const about = { applicationId: id, name: app.name };
  const events = reason
    ? [emit(deps, accountId, 'app.suspended', { ...about, reason: reason.reason })]
    : [emit(deps, accountId, 'app.resumed', about)];
  const writes = [
    change(App, { accountId, id }, { set: changed, when }, concurrentUpdate),
    ...(status === app.status ? [] : events),
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

/** Suspends an application for a cause. With the same reason again it changes nothing. See {@link changeReasons}. */
export const addSuspension = (
  deps: Pick<Deps, 'table' | 'now' | 'commit'>,
  of: AccountScopedId,
  { cause, reason }: { cause: Cause; reason: string },
  guard: readonly Write[] = [],
) => {
  const now = deps.now().toISOString();
  return changeReasons(
    deps,
    of,
    (before) => ({ ...before, [cause]: { reason, since: before[cause]?.since ?? now } }),
    guard,
  );
};

/** Ends the suspension of an application for one cause; it stays suspended for the others. See {@link changeReasons}. */
export const removeSuspension = (
  deps: Pick<Deps, 'table' | 'now' | 'commit'>,
  of: AccountScopedId,
  cause: Cause,
  guard: readonly Write[] = [],
) => changeReasons(deps, of, ({ [cause]: _, ...others }) => others, guard);
