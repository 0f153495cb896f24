import type { AppAccess } from '../../providers/app-host/app-access.ts';
import type { Builds } from '../../providers/builds/builds.ts';
import type { Secrets } from '../../providers/encryption/secrets.ts';
import { App } from '../../table/entities/apps.ts';
import { Move } from '../../table/entities/cells.ts';
import { schedule } from '../../table/schedule.ts';
import { change } from '../../table/writes.ts';
import type { InCell } from '../apps/cells.ts';
import { concurrentUpdate } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { timestampAfter } from '../time.ts';

/**
 * The move of an application to another hosting cell (docs/decisions/0071-moving-applications.md). Its kept releases are made
 * again in the new cell while the old one serves; one write of its route sends visitors over; and what is in the old cell is
 * removed once the last request there has ended. Every step may be repeated and may crash anywhere.
 */

export type MoveDeps = Deps & {
  builds: Pick<Builds, 'readArtifact' | 'writeArtifact'>;
  secrets: Secrets;
  /** The bucket of the builds. */
  bucket: string;
} & InCell<'appAccess' | 'appHost' | 'appLogs' | 'functionArnPrefix' | 'hostRoutes'>;

/** A reason to end a move that its operator is meant to read. */
export class MoveFailed extends Error {
  override readonly name = 'MoveFailed';
}

/** Time without a sign of life after which the reconciler looks at a move's execution, in milliseconds. */
const HEARTBEAT_TIMEOUT_MS = 60_000;

/** Returns the attributes that have the reconciler look at the execution of a move. */
export const scheduleCheck = ({ now }: Pick<Deps, 'now'>) =>
  schedule(Move, timestampAfter(now(), HEARTBEAT_TIMEOUT_MS));

/** Stores a change of a move that is still in the status in which it was read. */
export async function saveMove(deps: Deps, move: Move, set: Partial<Move>): Promise<Move> {
  const when = { status: { is: move.status } };
  await deps.table.write(Move, change(Move, move, { set: { ...set, ...scheduleCheck(deps) }, when }, concurrentUpdate));
  return { ...move, ...set };
}

/** Returns the application as long as it is being moved by this move; undefined once it is deleted, or no more. */
export async function movedApp({ table }: Pick<Deps, 'table'>, move: Move): Promise<App | undefined> {
  const app = await table.get(App, { accountId: move.accountId, id: move.applicationId });
  return app && app.status !== 'DELETING' && app.moveId === move.id ? app : undefined;
}

/** Removes all of an application that is in a cell. */
export async function removeFrom(deps: MoveDeps, cellId: string, applicationId: string): Promise<void> {
  const { appHost, appLogs } = await deps.cellOf({ cellId });
  await appHost.remove(applicationId);
  await appLogs.remove(applicationId);
}

/**
 * Opens or closes the address of the function in the new cell, as the application's status is. A change meanwhile closes and
 * opens both cells' (domain/deployments/suspension.ts), but may have found no address yet.
 */
export async function settleAccess(deps: Pick<Deps, 'table'>, move: Move, access: AppAccess): Promise<void> {
  for (let app = await movedApp(deps, move); app; ) {
    const { status, id } = app;
    await (status === 'SUSPENDED' ? access.close(id) : access.open(id));
    const after = await movedApp(deps, move);
    if (after?.status === status) return;
    app = after;
  }
}
