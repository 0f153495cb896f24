import type { Executions } from '../../providers/workflows/executions.ts';
import { Move } from '../../table/entities/cells.ts';
import { tryChange } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import type { DueQueue } from '../sweep/sweep.ts';
import { scheduleCheck } from './state.ts';

/** Moves are executions of the state machine of deployments, which contains their states (lib/state-machines/deployments.ts). */
type MoveExecutions = { deployments: Executions };

/** Returns the name of a move's execution. An attempt starts only after the previous one ended, so that no two run concurrently. */
const executionName = ({ id, attempts }: Move): string => (attempts === 0 ? id : `${id}-${attempts}`);

/** Starts the execution of a move, unless the move has ended. Repeating it has no effect. */
export async function startMove({ deployments }: MoveExecutions, move: Move): Promise<void> {
  const input = { trigger: 'MOVE', accountId: move.accountId, moveId: move.id };
  if (move.finishedAt === null) await deployments.start(executionName(move), input);
}

/** Moves without a heartbeat: starts those without an execution, and continues those whose execution has ended in another one. */
export const moveQueue: DueQueue<typeof Move, Deps & MoveExecutions> = {
  queue: 'MOVE',
  entity: Move,
  async act(deps, move) {
    if (move.finishedAt !== null) return;
    const status = await deps.deployments.status(executionName(move));
    const attempts = status === 'ENDED' ? move.attempts + 1 : move.attempts;
    if (status !== 'RUNNING') await startMove(deps, { ...move, attempts });
    const update = { set: { attempts, ...scheduleCheck(deps) }, when: { attempts: { is: move.attempts } } };
    await tryChange(deps, Move, move, update);
  },
};
