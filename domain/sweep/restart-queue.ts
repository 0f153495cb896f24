import type { ItemOf } from '../../table/entity.ts';
import { changeByKey } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import { timestampAfter } from '../time.ts';
import type { DueQueue, Sweepable, SweepDeps } from './sweep.ts';

interface RestartQueue<E extends Sweepable, D> extends Omit<DueQueue<E, D>, 'act'> {
  /** The time after which an item is due again, in milliseconds: its execution makes progress sooner, unless it was lost. */
  afterMs: number;
  /** Starts an item's execution. @param attempt a part of its name: what was lost is started under another */
  start(deps: D, item: ItemOf<E>, attempt: string): Promise<void>;
}

/** Returns the queue of items that an execution works on: one whose time has come gets an execution, and the next time. */
export const restartQueue = <E extends Sweepable, D>({
  start,
  afterMs,
  ...queue
}: RestartQueue<E, D>): DueQueue<E, D & SweepDeps> => ({
  ...queue,
  async act(deps, item, { dueAt, ...key }) {
    await start(deps, item, String(Date.parse(dueAt)));
    const what = { set: { dueAt: timestampAfter(deps.now(), afterMs) }, when: { dueAt: { is: dueAt } } };
    // One that made progress meanwhile has its next time.
    await ignoreConflict(deps.table.updateReturningChanged(changeByKey(key, what, concurrentUpdate)));
  },
});
