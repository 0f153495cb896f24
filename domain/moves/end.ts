import { App, Host } from '../../table/entities/apps.ts';
import { Move } from '../../table/entities/cells.ts';
import { unschedule } from '../../table/schedule.ts';
import { change } from '../../table/writes.ts';
import { commitAsPlatform } from '../audit/record.ts';
import { concurrentUpdate, retryOnConflict } from '../conflict.ts';
import { NO_PROMOTION, promoteNextDeployment } from '../deployments/finish.ts';
import type { Deps } from '../deps.ts';
import { type MoveDeps, movedApp, removeFrom } from './state.ts';

/** Ends a move, with the application's part in it, and an entry of the audit log. */
async function endMove(deps: Deps, move: Move, status: 'DONE' | 'FAILED', problem?: string): Promise<void> {
  const { accountId, applicationId, from, to } = move;
  const outcome = { status, finishedAt: deps.now().toISOString(), ...(problem === undefined ? {} : { problem }) };
  const when = { status: { is: move.status } };
  await retryOnConflict(async () => {
    const [app, now] = await Promise.all([movedApp(deps, move), deps.table.get(Move, move)]);
    // The response of an earlier attempt was lost.
    if (now?.finishedAt !== null) return;
    const writes = [change(Move, move, { set: outcome, remove: unschedule(Move), when }, concurrentUpdate)];
    if (app) {
      const of = { accountId, id: applicationId };
      const isHere = { moveId: { is: move.id }, status: { isNot: 'DELETING' } } as const;
      // After the switch, deployments do not wait any more.
      const next = app.movingTo === undefined ? NO_PROMOTION : promoteNextDeployment(deps, app);
      const remove = ['moveId', 'movingTo', 'drainingFrom', ...next.remove];
      writes.push(change(App, of, { set: next.set, remove, when: { ...isHere, ...next.when } }, concurrentUpdate));
      writes.push(...next.writes);
    }
    await commitAsPlatform(deps, writes, undefined, {
      action: status === 'DONE' ? 'app.moved' : 'app.move-failed',
      accountId,
      subjectId: applicationId,
      before: { cell: from },
      after: { cell: status === 'DONE' ? to : from, problem },
    });
  });
}

/** Removes what is left in the old cell, and ends the move. */
export async function completeMove(deps: MoveDeps, move: Move): Promise<void> {
  await removeFrom(deps, move.from, move.applicationId);
  await endMove(deps, move, 'DONE');
}

/** Removes the routes of a deleted application that a switch has written after its teardown; not those of a later owner of the names. */
async function removeRoutes(deps: MoveDeps, { edge, applicationId }: Move): Promise<void> {
  if (!edge) return;
  const claims = await Promise.all(edge.hosts.map((host) => deps.table.get(Host, { host })));
  const owned = edge.hosts.filter((_, index) => (claims[index]?.applicationId ?? applicationId) === applicationId);
  const { hostRoutes } = await deps.cellOf({ cellId: edge.cellId });
  await hostRoutes.remove(owned);
}

/** Ends the move of an application that was deleted: the teardown may have ended before a step here made something. */
export async function endWithApp(deps: MoveDeps, move: Move): Promise<void> {
  await removeRoutes(deps, move);
  for (const cellId of [move.from, move.to]) await removeFrom(deps, cellId, move.applicationId);
  await endMove(deps, move, 'FAILED', 'The application was deleted.');
}

/** True where the old cell has the release that serves, or there is none. */
async function isWhereItWas(deps: MoveDeps, { from, applicationId, releases = [] }: Move): Promise<boolean> {
  const live = releases.find((each) => each.live);
  if (!live) return true;
  const { appHost } = await deps.cellOf({ cellId: from });
  return (await appHost.nodeVersionOf(applicationId, live.from)) !== undefined;
}

/** Leaves the application where it was, with the reason, and removes what is in the new cell. */
export async function abandonMove(deps: MoveDeps, move: Move, problem: string): Promise<void> {
  // A move that was completed after the time to which the table was restored serves there: `operate repair` brings it back from there.
  if (await isWhereItWas(deps, move)) await removeFrom(deps, move.to, move.applicationId);
  await endMove(deps, move, 'FAILED', problem);
}
