import type { ItemOf } from '../../table/entity.ts';
import { changeByKey } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import { timestampAfter } from '../time.ts';
import type { DueQueue, Sweepable, SweepDeps } from './sweep.ts';

interface RestartQueue<E extends Sweepable, D> extends Omit<DueQueue<E, D>, 'act'> {
  /** Time after which an item is due again, in milliseconds. An execution that was not lost makes progress sooner. */
  afterMs: number;
  /** Starts an item's execution. @param attempt part of the execution's name, so that a lost execution is replaced under a new name */
  start(deps: D, item: ItemOf<E>, attempt: string): Promise<void>;
}

/** Returns the queue of items that an execution works on. The sweep starts an execution for each due item and postpones the item. */
export const restartQueue = <E extends Sweepable, D>({
  start,
  afterMs,
  ...queue
}: RestartQueue<E, D>): DueQueue<E, D & SweepDeps> => ({
  ...queue,
  async act(deps, item, { dueAt, ...key }) {
    await start(deps, item, String(Date.parse(dueAt)));
    const update = { set: { dueAt: timestampAfter(deps.now(), afterMs) }, when: { dueAt: { is: dueAt } } };
    // On a conflict the execution made progress in the meantime and set the next due time.
    await ignoreConflict(deps.table.updateReturningChanged(changeByKey(key, update, concurrentUpdate)));
  },
});
