import { LIMITS } from '../../contract/limits/limits.ts';
import type { CellRoom } from '../../providers/app-host/room.ts';
import { Cell } from '../../table/entities/cells.ts';
import { schedule } from '../../table/schedule.ts';
import { change } from '../../table/writes.ts';
import { concurrentUpdate } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import type { DueQueue } from '../sweep/sweep.ts';
import { timestampAfter } from '../time.ts';
import type { InCell } from './cells.ts';

/** Time between two measurements of a cell, in milliseconds. */
const MEASURED_EVERY_MS = 60_000;
/** Code of an application in bytes: three releases of 20 MB (domain/deployments/rollback.ts). */
const APPLICATION_BYTES = 3 * 20_000_000;
/** Requests at once that are reserved for an application on the smallest plan. */
const [APPLICATION_CONCURRENCY] = LIMITS.concurrentRequests.amounts;

/** Returns the number of applications that fit into what is free. */
export const applicationsFor = ({ concurrency, codeBytes }: CellRoom): number =>
  Math.floor(Math.min(concurrency / APPLICATION_CONCURRENCY, codeBytes / APPLICATION_BYTES));

/** Cells whose room is measured, for the placement of new applications. */
export const cellQueue: DueQueue<typeof Cell, Deps & InCell<'cellRooms'>> = {
  queue: 'CELL',
  entity: Cell,
  concurrency: 10,
  async act(deps, { id }) {
    const { cellRooms } = await deps.cellOf({ cellId: id });
    const room = applicationsFor(await cellRooms.measure());
    const now = deps.now();
    const next = schedule(Cell, timestampAfter(now, MEASURED_EVERY_MS));
    const set = { room, measuredAt: now.toISOString(), ...next };
    await deps.table.write(Cell, change(Cell, { id }, { set }, concurrentUpdate));
  },
};
