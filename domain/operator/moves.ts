import { ApiError } from '../../contract/errors.ts';
import type { listCells as ListRoute, moveApp as MoveRoute } from '../../contract/operator/cells.ts';
import type { Input, Output } from '../../contract/route.ts';
import { App } from '../../table/entities/apps.ts';
import { type Cell, Move } from '../../table/entities/cells.ts';
import { unchanged } from '../../table/expressions.ts';
import { change, create } from '../../table/writes.ts';
import { noSuchApp } from '../apps/apps.ts';
import { HOME_CELL, listCells as readCells } from '../apps/cells.ts';
import type { Caller, Deps } from '../deps.ts';
import { scheduleCheck } from '../moves/state.ts';

const conflict = (message: string) => () => new ApiError('conflict', message);
const isBusy = conflict('A deployment or a move of this application is under way. Move it after that.');
const isThere = conflict('The application is in this cell already.');
const hasDatabases = conflict('The application has databases, which only the home cell has.');

/** Returns all cells that applications can be in. The home cell has an item only where operators changed it, or it was measured. */
async function knownCells(
  deps: Pick<Deps, 'table'>,
): Promise<Pick<Cell, 'id' | 'open' | 'room' | 'measuredAt' | 'resources'>[]> {
  const cells = (await readCells(deps)).filter(({ id, resources }) => id === HOME_CELL || resources);
  return cells.some(({ id }) => id === HOME_CELL) ? cells : [{ id: HOME_CELL, open: true }, ...cells];
}

/** GET /operator/v1/cells */
export async function listCells(deps: Pick<Deps, 'table'>): Promise<Output<typeof ListRoute>> {
  const cells = await knownCells(deps);
  const data = cells.map(({ id, open, room = null, measuredAt = null, resources }) => ({
    id,
    open,
    room,
    measuredAt,
    region: resources?.region ?? null,
  }));
  return { data, has_more: false };
}

/**
 * POST /operator/v1/accounts/{id}/apps/{applicationId}/move: the stream starts the execution (domain/moves/). Deployments wait for
 * it. A closed cell takes applications that are moved into it: it is closed to new ones. Throws 404 and 409.
 */
export async function moveApp(
  deps: Deps,
  _: Caller,
  { id: accountId, applicationId, cell: to }: Input<typeof MoveRoute>,
): Promise<Output<typeof MoveRoute>> {
  const of = { accountId, id: applicationId };
  const [app, cells] = await Promise.all([deps.table.get(App, of), knownCells(deps)]);
  if (!app || app.status === 'DELETING') throw noSuchApp();
  if (!cells.some(({ id }) => id === to)) throw new ApiError('not_found', `There is no hosting cell ${to}.`);
  const from = app.cellId ?? HOME_CELL;
  if (from === to) throw isThere();
  if (app.moveId || app.activeDeploymentId) throw isBusy();
  if (to !== HOME_CELL && (app.databaseCount ?? 0) > 0) throw hasDatabases();
  const createdAt = deps.now().toISOString();
  const id = deps.newId('mov');
  const { dueAt } = scheduleCheck(deps);
  const move: Move = {
    id,
    accountId,
    applicationId,
    from,
    to,
    status: 'COPYING',
    attempts: 0,
    createdAt,
    finishedAt: null,
    dueAt,
  };
  const when = {
    ...({ moveId: 'absent', activeDeploymentId: 'absent', status: { isNot: 'DELETING' } } as const),
    cellId: unchanged(app.cellId),
    ...(to === HOME_CELL ? {} : { databaseCount: { absentOrBelow: 1 } }),
  };
  return await deps.commit(
    [change(App, of, { set: { moveId: id, movingTo: to }, when }, isBusy), create(Move, move)],
    { data: { id, from, to } },
    {
      action: 'app.move-requested',
      accountId,
      subjectId: applicationId,
      before: { cell: from },
      after: { cell: to },
    },
  );
}
