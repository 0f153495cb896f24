import * as z from 'zod/mini';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import type { App } from '../../table/entities/apps.ts';
import { Move } from '../../table/entities/cells.ts';
import { Caught } from '../deployments/inputs.ts';
import { checkCopy, copyNext, findReleases, sealNextBack } from './copy.ts';
import { abandonMove, completeMove, endWithApp } from './end.ts';
import { type MoveDeps, MoveFailed, movedApp, saveMove } from './state.ts';
import { switchOver } from './switch.ts';

export const MoveInput = z.object({
  accountId: z.string(),
  moveId: z.string(),
  /** The error of a step whose retries are exhausted. */
  error: z.optional(Caught),
});

/** The state of a move for its execution. */
interface Progress {
  done: boolean;
  /** Seconds until the next step. */
  waitSeconds: number;
}

const DONE: Progress = { done: true, waitSeconds: 0 };
const SOON: Progress = { done: false, waitSeconds: 1 };
/** Maximum pause between two steps, in seconds: each step is a heartbeat. */
const MAX_PAUSE_S = 30;

const PLATFORM_FAULT = 'A step failed repeatedly; its errors are in the log of workflow/moveApp.';

/** Copies the next part of the application while the old cell serves. */
async function copyStep(deps: MoveDeps, move: Move, app: App): Promise<Progress> {
  const { releases } = move;
  if (!releases) await saveMove(deps, move, { releases: await findReleases(deps, app) });
  else if (!(await copyNext(deps, { ...move, releases }, app))) {
    await checkCopy(deps, move, app);
    await saveMove(deps, move, { status: 'SWITCHING' });
  }
  return SOON;
}

/**
 * Undoes the next part of a move that failed before the switch; once all are undone, ends the move.
 * @param isStuck true if undoing a part failed. The move then ends without it, because the application must not stay blocked
 */
async function undoStep(deps: MoveDeps, move: Move, problem: string, isStuck: boolean): Promise<Progress> {
  if (!isStuck && (await sealNextBack(deps, move))) return SOON;
  await abandonMove(deps, move, problem);
  return DONE;
}

/** Waits until the last request in the old cell has ended, then removes the application from it. */
async function drainStep(deps: MoveDeps, move: Move): Promise<Progress> {
  const drainedAt = Date.parse(move.switchedAt ?? '') + TIMEOUTS_S.move.drain * 1000;
  const remaining = Math.ceil((drainedAt - deps.now().getTime()) / 1000);
  if (remaining > 0) {
    await saveMove(deps, move, {});
    return { done: false, waitSeconds: Math.min(remaining, MAX_PAUSE_S) };
  }
  await completeMove(deps, move);
  return DONE;
}

/**
 * Makes one step of a move. Before the switch, a failure leaves the application in the old cell. After the switch the move cannot fail:
 * steps are repeated until they succeed.
 */
export async function advanceMove(
  deps: MoveDeps,
  { accountId, moveId, error }: z.output<typeof MoveInput>,
): Promise<Progress> {
  const move = await deps.table.get(Move, { accountId, id: moveId });
  if (!move || move.finishedAt !== null) return DONE;
  const app = await movedApp(deps, move);
  if (!app) {
    await endWithApp(deps, move);
    return DONE;
  }
  if (move.status === 'DRAINING') return await drainStep(deps, move);
  if (move.status === 'SWITCHING') {
    await switchOver(deps, move, app);
    return SOON;
  }
  if (move.problem !== undefined) return await undoStep(deps, move, move.problem, error !== undefined);
  try {
    if (error) throw new MoveFailed(PLATFORM_FAULT);
    return await copyStep(deps, move, app);
  } catch (cause) {
    if (!(cause instanceof MoveFailed)) throw cause;
    await saveMove(deps, move, { problem: cause.message });
    return SOON;
  }
}
