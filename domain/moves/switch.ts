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
import { type MoveDeps, movedApp, scheduleCheck, settleAccess } from './state.ts';

/** Sends visitors to the new cell: one write of the route at the edge, which stays where it is. @returns false once the application is deleted */
async function switchRoute(deps: MoveDeps, move: Move, app: App): Promise<boolean> {
  const live = move.releases?.find((each) => each.live);
  if (!live?.to) return true;
  const { appHost, appAccess } = await deps.cellOf({ cellId: move.to });
  const { hostRoutes } = await deps.cellOf(edgeOf(app));
  const target = await appHost.switchTo(app.id, live.to);
  // The switch opens the function's address.
  await settleAccess(deps, move, appAccess);
  const isMoved = async () => (await movedApp(deps, move)) !== undefined;
  if (await isMoved()) {
    await hostRoutes.point(app.hosts, routeTo(target, live.to, app.liveDeploymentId ?? ''));
    if (await isMoved()) return true;
  }
  return false;
}

/** Gives deployments the numbers that their releases have in the new cell. Those of other releases have none any more. */
async function renumber(deps: MoveDeps, { id: moveId, releases = [] }: Move, app: App): Promise<void> {
  for await (const deployment of eachDeployment(deps, app)) {
    const { accountId, id, release, movedBy } = deployment;
    if (release === undefined || movedBy === moveId) continue;
    const kept = canRollBackTo(deployment) ? releases.find(({ from }) => from === release)?.to : undefined;
    const what = kept
      ? { set: { release: kept, movedBy: moveId } }
      : { set: { retired: true, movedBy: moveId }, remove: ['release'] };
    // Numbers of both cells may be the same: each deployment is changed once.
    const when = { movedBy: unchanged(movedBy) };
    await deps.table.write(Deployment, change(Deployment, { accountId, id }, { ...what, when }, concurrentUpdate));
  }
}

/**
 * Has the new cell serve, and the application be there. Until the last write all is in the old cell for everyone else: nothing
 * else uses its releases meanwhile, because deployments and rollbacks wait. One that is deleted meanwhile is left to the next step.
 */
export async function switchOver(deps: MoveDeps, move: Move, app: App): Promise<void> {
  if (!(await switchRoute(deps, move, app))) return;
  await renumber(deps, move, app);
  await retryOnConflict(async () => {
    const now = await movedApp(deps, move);
    if (!now) return;
    const { accountId, id } = now;
    const isHome = move.to === HOME_CELL;
    const next = promoteNextDeployment(deps, now);
    const set = {
      ...(isHome ? {} : { cellId: move.to }),
      edgeCellId: edgeOf(now).cellId ?? HOME_CELL,
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
