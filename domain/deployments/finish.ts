import { FAILURE, LIVE_LINE } from '../../contract/deployments/build-log.ts';
import { Account } from '../../table/entities/accounts.ts';
import { App } from '../../table/entities/apps.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import { type Condition, unchanged } from '../../table/expressions.ts';
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
  /** Parts of the application's change: `set`, `remove` and `when`. */
  set: Partial<App>;
  remove: string[];
  when: Record<string, Condition>;
  writes: Write[];
}

/** Promotes no deployment, even if one is waiting. */
export const NO_PROMOTION: Promotion = { set: {}, remove: [], when: {}, writes: [] };

/** Gives the application's slot, which the same change frees, to the next deployment. That deployment then waits for a builder only. */
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

/** Returns the writes that pass the application's slot to the next deployment or free it, and store how this deployment ended. */
function freeSlot(deps: Deps, app: App, deploymentId: string, status: Outcome): Write[] {
  const { accountId, id, activeDeploymentId } = app;
  if (activeDeploymentId !== deploymentId) return [];
  const next = app.status === 'DELETING' ? NO_PROMOTION : promoteNextDeployment(deps, app);
  const live = status === 'SUCCEEDED' ? { liveDeploymentId: deploymentId } : {};
  const update = {
    set: { lastDeploymentStatus: status, ...live, ...next.set },
    remove: [...(next.set.activeDeploymentId ? [] : ['activeDeploymentId']), ...next.remove],
    when: { activeDeploymentId: { is: deploymentId }, ...next.when },
  };
  return [change(App, { accountId, id }, update, concurrentUpdate), ...next.writes];
}

/** Returns the account's change for a deployment that ends: it adds the build's minutes and frees its concurrent build. */
function accountForBuild(deps: Pick<Deps, 'now'>, account: Account, deployment: Deployment): Write[] {
  const now = deps.now();
  const billedMs = billedBuildMs(deployment, now);
  const minutes = billedMs === undefined ? {} : addBuildMinutes(account, billedMs, now);
  // Rollbacks and deployments that never left the queue were not counted. The account may have been read before the admission that
  // counted this one. Earlier versions stored no time of admission, and the earliest did not count.
  const { admittedAt, beganAt } = deployment;
  const isCounted = admittedAt !== undefined || (beganAt !== undefined && (account.buildCount ?? 0) > 0);
  const update = { ...minutes, ...(isCounted ? { add: { buildCount: -1 } } : {}) };
  return Object.keys(update).length > 0 ? [change(Account, { id: account.id }, update, concurrentUpdate)] : [];
}

/** Ends a deployment, once: changes its status, passes on the application's slot and emits the event in one transaction. */
async function finishDeployment(
  deps: Deps,
  { accountId, applicationId, deploymentId }: DeploymentIds,
  status: Outcome,
  note: string,
  known: Partial<Pick<Deployment, 'commitSha' | 'buildMs'>> = {},
): Promise<void> {
  const key = { accountId, id: deploymentId };
  const ended = {
    set: { ...known, status, finishedAt: deps.now().toISOString() },
    append: { notes: [formatNote(deps, note)] },
    remove: unschedule(Deployment),
  };
  const event = status === 'SUCCEEDED' ? 'deployment.succeeded' : 'deployment.failed';
  await retryOnConflict(async () => {
    const [deployment, app, account] = await Promise.all([
      deps.table.get(Deployment, key),
      deps.table.get(App, { accountId, id: applicationId }),
      deps.table.get(Account, { id: accountId }),
    ]);
    if (!deployment || !isUnfinished(deployment)) return;
    // What the account gets back depends on these: the scheduler may admit the deployment, and a step continue it, meanwhile.
    const when = {
      status: { is: deployment.status },
      admittedAt: unchanged(deployment.admittedAt),
      builtAt: unchanged(deployment.builtAt),
    };
    await deps.table.transact([
      change(Deployment, key, { ...ended, when }, concurrentUpdate),
      ...(app ? freeSlot(deps, app, deploymentId, status) : []),
      ...(account ? accountForBuild(deps, account, { ...deployment, ...known }) : []),
      emit(deps, accountId, event, deploymentEventData({ ...deployment, ...known })),
    ]);
  });
}

/** Ends a deployment as succeeded. */
export const succeedDeployment = (deps: Deps, ids: DeploymentIds): Promise<void> =>
  finishDeployment(deps, ids, 'SUCCEEDED', LIVE_LINE);

/**
 * Ends a deployment as failed.
 * @param reason shown to the application's owner at the end of the log
 * @param known the commit and the build's duration, as far as the build determined them
 */
export const failDeployment = (
  deps: Deps,
  ids: DeploymentIds,
  reason: string,
  known: Partial<Pick<Deployment, 'commitSha' | 'buildMs'>> = {},
): Promise<void> => finishDeployment(deps, ids, 'FAILED', FAILURE + reason, known);
