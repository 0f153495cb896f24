import { Account } from '../../table/entities/accounts.ts';
import { App } from '../../table/entities/apps.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import { unschedule } from '../../table/schedule.ts';
import { change, type Write } from '../../table/writes.ts';
import { concurrentUpdate, retryOnConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { addBuildMinutes } from '../limits/limits.ts';
import { emit } from '../webhooks/events.ts';
import { enqueueBuild } from './build-line.ts';
import { billedBuildMs } from './build-time.ts';
import type { DeploymentIds } from './inputs.ts';
import { deploymentEventData, formatNote } from './queue.ts';

type Outcome = 'SUCCEEDED' | 'FAILED';

const UNFINISHED = ['QUEUED', 'RUNNING'] as const;
const isUnfinished = (deployment: Deployment) => (UNFINISHED as readonly string[]).includes(deployment.status);

/** The application's slot goes to the deployment that waits for it, or is free; and the application says how this one ended. */
function promoteNextDeployment(deps: Deps, app: App, deploymentId: string, status: Outcome): Write[] {
  if (app.activeDeploymentId !== deploymentId) return [];
  const { accountId, id, nextDeploymentId: next } = app;
  const ours = { activeDeploymentId: { is: deploymentId } };
  const ended = {
    lastDeploymentStatus: status,
    ...(status === 'SUCCEEDED' ? { liveDeploymentId: deploymentId } : {}),
  };
  if (!next || app.status === 'DELETING') {
    const when = next ? ours : ({ ...ours, nextDeploymentId: 'absent' } as const);
    return [change(App, { accountId, id }, { set: ended, remove: ['activeDeploymentId'], when }, concurrentUpdate)];
  }
  const set = { ...ended, activeDeploymentId: next };
  const when = { ...ours, nextDeploymentId: { is: next } };
  return [
    change(App, { accountId, id }, { set, remove: ['nextDeploymentId'], when }, concurrentUpdate),
    ...beginWaiting(deps, app, next),
  ];
}

/** The writes by which a deployment waits for nothing but its builder any more. */
export const beginWaiting = (deps: Deps, { accountId, id: applicationId }: App, id: string): Write[] => [
  change(Deployment, { accountId, id }, { remove: ['waiting'] }, concurrentUpdate),
  ...enqueueBuild(deps, { id, accountId, applicationId }),
];

/** The account's share of a deployment that ends: the minutes of its build, and its place among the deployments at once. */
export function accountForBuild(deps: Pick<Deps, 'now'>, account: Account, deployment: Deployment): Write[] {
  const now = deps.now();
  const spent = billedBuildMs(deployment, now);
  const minutes = spent === undefined ? {} : addBuildMinutes(account, spent, now);
  // What never left its line, and rollbacks, were not counted. Earlier versions stored no time of admission.
  const { admittedAt = deployment.beganAt } = deployment;
  const counted = admittedAt !== undefined && (account.buildCount ?? 0) > 0;
  const what = { ...minutes, ...(counted ? { add: { buildCount: -1 } } : {}) };
  return Object.keys(what).length > 0 ? [change(Account, { id: account.id }, what, concurrentUpdate)] : [];
}

/** Ends a deployment, once: status, the application's slot and the event in one transaction. */
async function finishDeployment(
  deps: Deps,
  { accountId, applicationId, deploymentId }: DeploymentIds,
  status: Outcome,
  note: string,
  known: Partial<Pick<Deployment, 'commitSha' | 'buildMs'>> = {},
): Promise<void> {
  const of = { accountId, id: deploymentId };
  const change_ = {
    set: { ...known, status, finishedAt: deps.now().toISOString() },
    append: { notes: [formatNote(deps, note)] },
    remove: unschedule(Deployment),
    when: { status: { oneOf: UNFINISHED } },
  };
  const event = status === 'SUCCEEDED' ? 'deployment.succeeded' : 'deployment.failed';
  await retryOnConflict(async () => {
    const [deployment, app, account] = await Promise.all([
      deps.table.get(Deployment, of),
      deps.table.get(App, { accountId, id: applicationId }),
      deps.table.get(Account, { id: accountId }),
    ]);
    if (!deployment || !isUnfinished(deployment)) return;
    await deps.table.transact([
      change(Deployment, of, change_, concurrentUpdate),
      ...(app ? promoteNextDeployment(deps, app, deploymentId, status) : []),
      ...(account ? accountForBuild(deps, account, { ...deployment, ...known }) : []),
      emit(deps, accountId, event, deploymentEventData({ ...deployment, ...known })),
    ]);
  });
}

export const succeedDeployment = (deps: Deps, ids: DeploymentIds): Promise<void> =>
  finishDeployment(deps, ids, 'SUCCEEDED', '==> The new release is live');

/**
 * @param reason what the application's owner reads at the end of the log
 * @param known the commit and the build's duration, where the build came as far
 */
export const failDeployment = (
  deps: Deps,
  ids: DeploymentIds,
  reason: string,
  known: Partial<Pick<Deployment, 'commitSha' | 'buildMs'>> = {},
): Promise<void> => finishDeployment(deps, ids, 'FAILED', `==> Deployment failed: ${reason}`, known);
