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
const busy = conflict('A deployment or a move of this application is in progress. Move it afterwards.');
const alreadyThere = conflict('The application is already in this cell.');
const hasDatabases = conflict('The application has databases, and only the home cell supports databases.');

/** Returns all cells that can contain applications. The home cell has an item only after operators changed it or its capacity was measured. */
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
 * POST /operator/v1/accounts/{id}/apps/{applicationId}/move. The stream starts the execution (domain/moves/), and deployments wait for it. An
 * application can be moved into a closed cell, which is only closed to new applications. Throws 404 and 409.
 */
export async function moveApp(
  deps: Deps,
  _: Caller,
  { id: accountId, applicationId, cell: to }: Input<typeof MoveRoute>,
): Promise<Output<typeof MoveRoute>> {
  const appKey = { accountId, id: applicationId };
  const [app, cells] = await Promise.all([deps.table.get(App, appKey), knownCells(deps)]);
  if (!app || app.status === 'DELETING') throw noSuchApp();
  if (!cells.some(({ id }) => id === to)) throw new ApiError('not_found', `There is no hosting cell ${to}.`);
  const from = app.cellId ?? HOME_CELL;
  if (from === to) throw alreadyThere();
  if (app.moveId || app.activeDeploymentId) throw busy();
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
    [change(App, appKey, { set: { moveId: id, movingTo: to }, when }, busy), create(Move, move)],
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
