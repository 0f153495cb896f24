import { App, Deployment } from '../../table/entities.ts';
import { change, type Write } from '../../table/writes.ts';
import type { Deps } from '../deps.ts';
import { Overtaken, overtaken } from '../overtaken.ts';
import { emit } from '../webhooks/events.ts';
import type { DeploymentIds } from '../workflow.ts';
import { checkSoon, eventDataOf, noteOf } from './queue.ts';

const UNFINISHED = ['QUEUED', 'RUNNING'] as const;
const isUnfinished = (deployment: Deployment) => (UNFINISHED as readonly string[]).includes(deployment.status);

const ATTEMPTS = 8;

/** The application's slot goes to the deployment that waits for it, or is free. */
function passOn(deps: Deps, app: App, deploymentId: string): Write[] {
  if (app.activeDeploymentId !== deploymentId) return [];
  const { accountId, id, nextDeploymentId: next } = app;
  const ours = { activeDeploymentId: { is: deploymentId } };
  if (!next || app.status === 'DELETING') {
    const when = next ? ours : ({ ...ours, nextDeploymentId: 'absent' } as const);
    return [change(App, { accountId, id }, { remove: ['activeDeploymentId'], when }, overtaken)];
  }
  const set = { activeDeploymentId: next };
  const when = { ...ours, nextDeploymentId: { is: next } };
  return [
    change(App, { accountId, id }, { set, remove: ['nextDeploymentId'], when }, overtaken),
    change(Deployment, { accountId, id: next }, { set: checkSoon(deps), remove: ['waiting'] }, overtaken),
  ];
}

/** Ends a deployment, once: status, the application's slot and the event in one transaction. */
async function finish(
  deps: Deps,
  { accountId, applicationId, deploymentId }: DeploymentIds,
  status: 'SUCCEEDED' | 'FAILED',
  note: string,
  known: { commitSha?: string } = {},
): Promise<void> {
  const of = { accountId, id: deploymentId };
  const change_ = {
    set: { ...known, status, finishedAt: deps.now().toISOString() },
    append: { notes: [noteOf(deps, note)] },
    remove: ['checkAt', 'duePk', 'dueAt'],
    when: { status: { oneOf: UNFINISHED } },
  };
  const event = status === 'SUCCEEDED' ? 'deployment.succeeded' : 'deployment.failed';
  for (let attempt = 1; ; attempt += 1) {
    const [deployment, app] = await Promise.all([
      deps.table.get(Deployment, of),
      deps.table.get(App, { accountId, id: applicationId }),
    ]);
    if (!deployment || !isUnfinished(deployment)) return;
    try {
      return await deps.table.transact([
        change(Deployment, of, change_, overtaken),
        ...(app ? passOn(deps, app, deploymentId) : []),
        emit(deps, accountId, event, eventDataOf({ ...deployment, ...known })),
      ]);
    } catch (error) {
      if (!(error instanceof Overtaken) || attempt === ATTEMPTS) throw error;
    }
  }
}

export const succeedDeployment = (deps: Deps, ids: DeploymentIds): Promise<void> =>
  finish(deps, ids, 'SUCCEEDED', '==> The new release is live');

/**
 * @param reason what the application's owner reads at the end of the log
 * @param known the commit, where the build came as far as knowing it
 */
export const failDeployment = (
  deps: Deps,
  ids: DeploymentIds,
  reason: string,
  known: { commitSha?: string } = {},
): Promise<void> => finish(deps, ids, 'FAILED', `==> Deployment failed: ${reason}`, known);
