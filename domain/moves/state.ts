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
 * The move of an application to another hosting cell (docs/decisions/0071-moving-applications.md). The kept releases are created in the
 * new cell while the old one serves. One write of the route switches traffic to the new cell. Once the last request in the old cell has
 * ended, the application is removed there. Every step may be repeated and may crash anywhere.
 */

export type MoveDeps = Deps & {
  builds: Pick<Builds, 'readArtifact' | 'writeArtifact'>;
  secrets: Secrets;
  /** The bucket with the artifacts of builds. */
  bucket: string;
} & InCell<'appAccess' | 'appHost' | 'appLogs' | 'functionArnPrefix' | 'hostRoutes'>;

/** A failure that ends a move, with a message for operators. */
export class MoveFailed extends Error {
  override readonly name = 'MoveFailed';
}

/** Time without a heartbeat after which the reconciler checks a move's execution, in milliseconds. */
const HEARTBEAT_TIMEOUT_MS = 60_000;

/** Returns the attributes that make the reconciler check the execution of a move. */
export const scheduleCheck = ({ now }: Pick<Deps, 'now'>) =>
  schedule(Move, timestampAfter(now(), HEARTBEAT_TIMEOUT_MS));

/** Stores a change of a move, and schedules its next check. Throws `ConcurrentUpdateError` if its status changed since it was read. */
export async function saveMove(deps: Deps, move: Move, set: Partial<Move>): Promise<Move> {
  const when = { status: { is: move.status } };
  await deps.table.write(Move, change(Move, move, { set: { ...set, ...scheduleCheck(deps) }, when }, concurrentUpdate));
  return { ...move, ...set };
}

/** Returns the application of a move; undefined once it is deleted, or no longer belongs to this move. */
export async function movedApp({ table }: Pick<Deps, 'table'>, move: Move): Promise<App | undefined> {
  const app = await table.get(App, { accountId: move.accountId, id: move.applicationId });
  return app && app.status !== 'DELETING' && app.moveId === move.id ? app : undefined;
}

/**
 * Opens or closes the function's URL in the new cell by the application's status. A concurrent change of the status is applied to both
 * cells (domain/deployments/suspension.ts), but may not find the new URL yet, so the status is read again afterwards.
 */
export async function applyAccess(deps: Pick<Deps, 'table'>, move: Move, access: AppAccess): Promise<void> {
  for (let app = await movedApp(deps, move); app; ) {
    const { status, id } = app;
    await (status === 'SUSPENDED' ? access.close(id) : access.open(id));
    const after = await movedApp(deps, move);
    if (after?.status === status) return;
    app = after;
  }
}
