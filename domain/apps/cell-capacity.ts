import { LIMITS } from '../../contract/limits/limits.ts';
import type { CellCapacity } from '../../providers/app-host/cell-capacity.ts';
import { Cell } from '../../table/entities/cells.ts';
import { schedule } from '../../table/schedule.ts';
import { change } from '../../table/writes.ts';
import { concurrentUpdate } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import type { DueQueue } from '../sweep/sweep.ts';
import { timestampAfter } from '../time.ts';
import type { InCell } from './cells.ts';

/** Time between two measurements of a cell, in milliseconds. */
const MEASUREMENT_INTERVAL_MS = 60_000;
/** Stored code of an application, in bytes: three releases of 20 MB (domain/deployments/rollback.ts). */
const APPLICATION_BYTES = 3 * 20_000_000;
/** Concurrent requests that are reserved for an application on the smallest plan. */
const [APPLICATION_CONCURRENCY] = LIMITS.concurrentRequests.amounts;

/** Returns the number of applications that fit into a cell's free capacity. */
export const applicationsFor = ({ concurrency, codeBytes }: CellCapacity): number =>
  Math.floor(Math.min(concurrency / APPLICATION_CONCURRENCY, codeBytes / APPLICATION_BYTES));

/** Cells whose free capacity is measured, for the placement of new applications. */
export const cellQueue: DueQueue<typeof Cell, Deps & InCell<'capacityMeter'>> = {
  queue: 'CELL',
  entity: Cell,
  concurrency: 10,
  async act(deps, { id }) {
    const { capacityMeter } = await deps.cellOf({ cellId: id });
    const room = applicationsFor(await capacityMeter.measure());
    const now = deps.now();
    const next = schedule(Cell, timestampAfter(now, MEASUREMENT_INTERVAL_MS));
    const set = { room, measuredAt: now.toISOString(), ...next };
    await deps.table.write(Cell, change(Cell, { id }, { set }, concurrentUpdate));
  },
};
