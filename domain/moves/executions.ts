import type { Executions } from '../../providers/workflows/executions.ts';
import { Move } from '../../table/entities/cells.ts';
import { change } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import type { DueQueue } from '../sweep/sweep.ts';
import { scheduleCheck } from './state.ts';

/** The state machine of deployments has the states of moves (lib/state-machines/deployments.ts). */
type MoveExecutions = { deployments: Executions };

/** Returns the name of a move's execution. One follows the other, so that no two make steps at once. */
const nameOf = ({ id, attempts }: Move): string => (attempts === 0 ? id : `${id}-${attempts}`);

/** Starts the execution of a move; twice is once. */
export async function startMove({ deployments }: MoveExecutions, move: Move): Promise<void> {
  const input = { trigger: 'MOVE', accountId: move.accountId, moveId: move.id };
  if (move.finishedAt === null) await deployments.start(nameOf(move), input);
}

/** Moves without a sign of life: one that was never started is started, one whose execution ended goes on in another. */
export const moveQueue: DueQueue<typeof Move, Deps & MoveExecutions> = {
  queue: 'MOVE',
  entity: Move,
  async act(deps, move) {
    if (move.finishedAt !== null) return;
    const status = await deps.deployments.status(nameOf(move));
    const attempts = status === 'ENDED' ? move.attempts + 1 : move.attempts;
    if (status !== 'RUNNING') await startMove(deps, { ...move, attempts });
    const what = { set: { attempts, ...scheduleCheck(deps) }, when: { attempts: { is: move.attempts } } };
    await ignoreConflict(deps.table.write(Move, change(Move, move, what, concurrentUpdate)));
  },
};
