import { routeTo } from '../../providers/edge/host-routes.ts';
import { App } from '../../table/entities/apps.ts';
import { Move } from '../../table/entities/cells.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import { unchanged } from '../../table/expressions.ts';
import { change } from '../../table/writes.ts';
import { edgeOf, HOME_CELL } from '../apps/cells.ts';
import { concurrentUpdate, retryOnConflict } from '../conflict.ts';
import { canRollBackTo } from '../deployments/deployment.ts';
import { promoteNextDeployment } from '../deployments/finish.ts';
import { eachDeployment } from './copy.ts';
import { applyAccess, type MoveDeps, movedApp, scheduleCheck } from './state.ts';

/** Switches traffic to the new cell by one write of the route; the edge cell stays the same. @returns false if the application was deleted */
async function switchRoute(deps: MoveDeps, move: Move, app: App): Promise<boolean> {
  const live = move.releases?.find((release) => release.live);
  if (!live?.to) return true;
  const { appHost, appAccess } = await deps.cellOf({ cellId: move.to });
  const { hostRoutes } = await deps.cellOf(edgeOf(app));
  const target = await appHost.switchTo(app.id, live.to);
  // The switch opens the function's URL, even for a suspended application.
  await applyAccess(deps, move, appAccess);
  await hostRoutes.point(app.hosts, routeTo(target, live.to, app.liveDeploymentId ?? ''), app.id);
  return (await movedApp(deps, move)) !== undefined;
}

/** Stores the numbers that the releases have in the new cell in their deployments. Retires deployments whose release was not copied. */
async function renumber(deps: MoveDeps, { id: moveId, releases = [] }: Move, app: App): Promise<void> {
  for await (const deployment of eachDeployment(deps, app)) {
    const { accountId, id, release, movedBy } = deployment;
    if (release === undefined || movedBy === moveId) continue;
    const kept = canRollBackTo(deployment) ? releases.find(({ from }) => from === release)?.to : undefined;
    const update = kept
      ? { set: { release: kept, movedBy: moveId } }
      : { set: { retired: true, movedBy: moveId }, remove: ['release'] };
    // The cells may use the same numbers, so the condition ensures that each deployment is renumbered once.
    const when = { movedBy: unchanged(movedBy) };
    await deps.table.write(Deployment, change(Deployment, { accountId, id }, { ...update, when }, concurrentUpdate));
  }
}

/**
 * Switches the application to the new cell. Until the last write, all other code sees the application in the old cell. Nothing else uses
 * its releases meanwhile, because deployments and rollbacks wait. If it is deleted meanwhile, the next step cleans up.
 */
export async function switchOver(deps: MoveDeps, move: Move, app: App): Promise<void> {
  if (!(await switchRoute(deps, move, app))) return;
  await renumber(deps, move, app);
  await retryOnConflict(async () => {
    const current = await movedApp(deps, move);
    if (!current) return;
    const { accountId, id } = current;
    const isHome = move.to === HOME_CELL;
    const next = promoteNextDeployment(deps, current);
    const set = {
      ...(isHome ? {} : { cellId: move.to }),
      edgeCellId: edgeOf(current).cellId ?? HOME_CELL,
      drainingFrom: move.from,
      ...next.set,
    };
    const remove = ['movingTo', ...(isHome ? ['cellId'] : []), ...next.remove];
    const when = { moveId: { is: move.id }, status: { isNot: 'DELETING' }, ...next.when } as const;
    const moved = { status: 'DRAINING', switchedAt: deps.now().toISOString(), ...scheduleCheck(deps) };
    await deps.table.transact([
      change(App, { accountId, id }, { set, remove, when }, concurrentUpdate),
      change(Move, move, { set: moved, when: { status: { is: 'SWITCHING' } } }, concurrentUpdate),
      ...next.writes,
    ]);
  });
}
