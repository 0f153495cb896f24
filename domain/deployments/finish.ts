import { Account } from '../../table/entities/accounts.ts';
import { App } from '../../table/entities/apps.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import type { Condition } from '../../table/expressions.ts';
import { unschedule } from '../../table/schedule.ts';
import { change, type Write } from '../../table/writes.ts';
import { concurrentUpdate, retryOnConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { addBuildMinutes } from '../limits/limits.ts';
import { emit } from '../webhooks/events.ts';
import { enqueueBuild } from './build-queue.ts';
import { billedBuildMs } from './build-time.ts';
import { deploymentEventData, formatNote } from './deployment.ts';
import type { DeploymentIds } from './inputs.ts';

type Outcome = 'SUCCEEDED' | 'FAILED';

const UNFINISHED = ['QUEUED', 'RUNNING'] as const;
const isUnfinished = (deployment: Deployment) => (UNFINISHED as readonly string[]).includes(deployment.status);

interface Promotion {
  /** Parts of the change of the application. */
  set: Partial<App>;
  remove: string[];
  when: Record<string, Condition>;
  writes: Write[];
}

/** Promotes no deployment, whichever waits. */
export const NO_PROMOTION: Promotion = { set: {}, remove: [], when: {}, writes: [] };

/** Gives the application's slot, which is free with the same change, to the deployment that waits for it; it waits only for its builder then. */
export function promoteNextDeployment(deps: Deps, app: App): Promotion {
  const { accountId, id: applicationId, nextDeploymentId: next } = app;
  if (!next) return { ...NO_PROMOTION, when: { nextDeploymentId: 'absent' } };
  return {
    set: { activeDeploymentId: next },
    remove: ['nextDeploymentId'],
    when: { nextDeploymentId: { is: next } },
    writes: [
      change(Deployment, { accountId, id: next }, { remove: ['waiting'] }, concurrentUpdate),
      ...enqueueBuild(deps, { id: next, accountId, applicationId }),
    ],
  };
}

/** The application's slot goes to the next deployment, or is free; and the application says how this one ended. */
function freeSlot(deps: Deps, app: App, deploymentId: string, status: Outcome): Write[] {
  const { accountId, id, activeDeploymentId } = app;
  if (activeDeploymentId !== deploymentId) return [];
  const next = app.status === 'DELETING' ? NO_PROMOTION : promoteNextDeployment(deps, app);
  const live = status === 'SUCCEEDED' ? { liveDeploymentId: deploymentId } : {};
  const what = {
    set: { lastDeploymentStatus: status, ...live, ...next.set },
    remove: [...(next.set.activeDeploymentId ? [] : ['activeDeploymentId']), ...next.remove],
    when: { activeDeploymentId: { is: deploymentId }, ...next.when },
  };
  return [change(App, { accountId, id }, what, concurrentUpdate), ...next.writes];
}

/** The account's share of a deployment that ends: the minutes of its build, and its place among the deployments at once. */
function accountForBuild(deps: Pick<Deps, 'now'>, account: Account, deployment: Deployment): Write[] {
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
  const ended = {
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
      change(Deployment, of, ended, concurrentUpdate),
      ...(app ? freeSlot(deps, app, deploymentId, status) : []),
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
