import type { receivePush as PushRoute } from '../../contract/deployments/push-hook.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/route.ts';
import type { Secrets } from '../../providers/encryption/secrets.ts';
import { Account } from '../../table/entities/accounts.ts';
import { App, GitAccess } from '../../table/entities/apps.ts';
import { Deployment, Push } from '../../table/entities/deployments.ts';
import { unchanged } from '../../table/expressions.ts';
import { change, check, create, type Write } from '../../table/writes.ts';
import { noSuchApp } from '../apps/apps.ts';
import { openHookSecret } from '../apps/git-access.ts';
import { concurrentUpdate, retryOnConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { assertWithin } from '../limits/limits.ts';
import { enqueueBuild } from './build-queue.ts';
import { newDeployment } from './deployment.ts';
import { type HookRequest, isGenuine, type RefChange, readHook } from './git-hosts.ts';

type PushResponse = { status: 200 | 202; output: Output<typeof PushRoute> };
const ignoredPush = (why: string): PushResponse => ({ status: 200, output: { data: { ignored: why } } });
const acceptedPush = (deploymentId: string): PushResponse => ({ status: 202, output: { data: { deploymentId } } });

/**
 * Authenticates a hook. Throws 404 for an unknown application, and 401 for a hook that is not signed with the
 * application's hook secret.
 */
export async function identifyHook(
  deps: Deps & { secrets: Secrets },
  { appId }: Input<typeof PushRoute>,
  request: HookRequest,
): Promise<GitAccess> {
  const access = await deps.table.get(GitAccess, { applicationId: appId });
  if (!access) throw noSuchApp();
  if (!isGenuine(request, await openHookSecret(deps, access))) {
    throw new ApiError('unauthorized', "The hook is not signed with this application's hook secret.");
  }
  return access;
}

const SHORT_SHA_LENGTH = 7;
const SKIP = /\[(skip ci|ci skip|no ci)\]/i;

/** Returns the reason why a push is not deployed; undefined if it is to be deployed. */
function reasonToIgnore(
  app: App,
  deletion: Account['deletion'],
  changes: readonly RefChange[],
  found: RefChange | undefined,
): string | undefined {
  // No key or login calls the hook, so no credential refuses it.
  if (deletion) return `the account will be deleted on ${deletion.endsAt.slice(0, 10)}`;
  if (!app.autoDeploy) return 'autoDeploy is off for this application';
  if (app.status !== 'RUNNING') return 'the application is suspended';
  if (app.repoUrl === null) return 'the application has no repoUrl';
  if (!found) {
    if (changes.length > 0 && changes.every(({ kind }) => kind === 'tag')) return 'tags are not deployed';
    return `this application deploys the branch ${app.branch}`;
  }
  if (found.commitSha === undefined) return `the branch ${app.branch} was deleted`;
  return SKIP.test(found.message) ? 'its newest commit says to skip it' : undefined;
}

/**
 * POST /hooks/git/{appId}, for a genuine hook. A push to the deployed branch starts a deployment. While a deployment is in progress,
 * one more waits, always with the newest commit. A redelivery returns the deployment of the first delivery.
 */
export async function receivePush(deps: Deps, access: GitAccess, request: HookRequest): Promise<PushResponse> {
  const { accountId, applicationId } = access;
  const { deliveryId: id, event, changes } = readHook(request);
  if (!changes) return ignoredPush(event ? `${event} is not a push` : 'it is not a push');
  return await retryOnConflict(async () => {
    const [app, account, earlier] = await Promise.all([
      deps.table.get(App, { accountId, id: applicationId }),
      deps.table.get(Account, { id: accountId }),
      deps.table.get(Push, { applicationId, id }),
    ]);
    if (earlier) return acceptedPush(earlier.deploymentId);
    if (!app || app.status === 'DELETING') throw noSuchApp();
    const found = changes.find(({ kind, name }) => kind === 'branch' && name === app.branch);
    const reason = reasonToIgnore(app, account?.deletion, changes, found);
    if (reason !== undefined) return ignoredPush(reason);
    const commitSha = found?.commitSha?.slice(0, SHORT_SHA_LENGTH) ?? '';
    const { deploymentId, writes } = assignSlot(deps, app, commitSha);
    const push = { id, accountId, applicationId, deploymentId, createdAt: deps.now().toISOString() };
    try {
      await deps.commit([create(Push, push, concurrentUpdate), ...writes], undefined, {
        action: 'deployment.created',
        accountId,
        subjectId: deploymentId,
        after: { applicationId, trigger: 'PUSH', commitSha },
      });
    } catch (error) {
      // For an error status the Git host would show a failure only; this way the owner can read the reason there.
      if (error instanceof ApiError && error.code === 'plan_limit') return ignoredPush(error.message);
      throw error;
    }
    return acceptedPush(deploymentId);
  });
}

/** Assigns a push to a new deployment, or to the one that is waiting already. */
function assignSlot(deps: Deps, app: App, commitSha: string): { deploymentId: string; writes: Write[] } {
  const { id: applicationId, accountId, activeDeploymentId, movingTo, nextDeploymentId } = app;
  // A deployment in progress, or a move to another cell.
  const isBusy = activeDeploymentId !== undefined || movingTo !== undefined;
  const isUnchanged = {
    activeDeploymentId: unchanged(activeDeploymentId),
    movingTo: unchanged(movingTo),
  };
  const key = { accountId, id: applicationId };
  const status = { is: 'RUNNING' };
  if (isBusy && nextDeploymentId) {
    const replaceCommit = change(
      Deployment,
      { accountId, id: nextDeploymentId },
      { set: { commitSha }, when: { waiting: { is: true } } },
      concurrentUpdate,
    );
    const isStillNext = check(App, key, { nextDeploymentId: { is: nextDeploymentId }, status }, concurrentUpdate);
    return { deploymentId: nextDeploymentId, writes: [replaceCommit, isStillNext] };
  }
  const created = newDeployment(deps, { accountId, applicationId }, 'PUSH', {
    commitSha,
    ...(isBusy ? { waiting: true } : {}),
  });
  const claim = isBusy
    ? { set: { nextDeploymentId: created.id }, when: { ...isUnchanged, nextDeploymentId: 'absent', status } as const }
    : { set: { activeDeploymentId: created.id }, when: { ...isUnchanged, status } };
  // Waiting pushes are checked too: otherwise a series of pushes would keep building without any minutes left.
  const limits = assertWithin(deps, accountId, ['buildMinutesPerMonth']);
  const queued = isBusy ? [] : enqueueBuild(deps, { id: created.id, accountId, applicationId });
  return {
    deploymentId: created.id,
    writes: [change(App, key, claim, concurrentUpdate), created.write, limits, ...queued],
  };
}
