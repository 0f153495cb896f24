import { App } from '../../table/entities/apps.ts';
import { Move } from '../../table/entities/cells.ts';
import { unschedule } from '../../table/schedule.ts';
import { change } from '../../table/writes.ts';
import { removeFromCell } from '../apps/cells.ts';
import { commitAsPlatform } from '../audit/record.ts';
import { concurrentUpdate, retryOnConflict } from '../conflict.ts';
import { NO_PROMOTION, promoteNextDeployment } from '../deployments/finish.ts';
import type { Deps } from '../deps.ts';
import { type MoveDeps, movedApp } from './state.ts';

/** Ends a move and releases the application from it, with an entry in the audit log. */
async function endMove(deps: Deps, move: Move, status: 'DONE' | 'FAILED', problem?: string): Promise<void> {
  const { accountId, applicationId, from, to } = move;
  const outcome = { status, finishedAt: deps.now().toISOString(), ...(problem === undefined ? {} : { problem }) };
  const when = { status: { is: move.status } };
  await retryOnConflict(async () => {
    const [app, current] = await Promise.all([movedApp(deps, move), deps.table.get(Move, move)]);
    // An earlier attempt succeeded, but its response was lost.
    if (current?.finishedAt !== null) return;
    const writes = [change(Move, move, { set: outcome, remove: unschedule(Move), when }, concurrentUpdate)];
    if (app) {
      const key = { accountId, id: applicationId };
      const isInMove = { moveId: { is: move.id }, status: { isNot: 'DELETING' } } as const;
      // After the switch, deployments no longer wait for the move.
      const next = app.movingTo === undefined ? NO_PROMOTION : promoteNextDeployment(deps, app);
      const remove = ['moveId', 'movingTo', 'drainingFrom', ...next.remove];
      writes.push(change(App, key, { set: next.set, remove, when: { ...isInMove, ...next.when } }, concurrentUpdate));
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

/** Removes the application from the old cell, and ends the move. */
export async function completeMove(deps: MoveDeps, move: Move): Promise<void> {
  await removeFromCell(deps, { cellId: move.from }, move.applicationId);
  await endMove(deps, move, 'DONE');
}

/** Ends the move of a deleted application. Cleans up first, because a step may have created resources after the teardown ended. */
export async function endWithApp(deps: MoveDeps, move: Move): Promise<void> {
  for (const cellId of [move.from, move.to]) await removeFromCell(deps, { cellId }, move.applicationId);
  await endMove(deps, move, 'FAILED', 'The application was deleted.');
}

/** True if the old cell has the live release, or there is none. */
async function isInOldCell(deps: MoveDeps, { from, applicationId, releases = [] }: Move): Promise<boolean> {
  const live = releases.find((release) => release.live);
  if (!live) return true;
  const { appHost } = await deps.cellOf({ cellId: from });
  return (await appHost.nodeVersionOf(applicationId, live.from)) !== undefined;
}

/** Ends a failed move with its reason: removes the application from the new cell and leaves it in the old one. */
export async function abandonMove(deps: MoveDeps, move: Move, problem: string): Promise<void> {
  // After a restore of the table to a time before the move was completed, the new cell serves: then `operate repair` brings the application back.
  if (await isInOldCell(deps, move)) await removeFromCell(deps, { cellId: move.to }, move.applicationId);
  await endMove(deps, move, 'FAILED', problem);
}
