import { cancelRunning, discardBuild, startDeployment } from '../domain/deployments/executions.ts';
import { admitAfter, admitBuild } from '../domain/deployments/scheduler.ts';
import { Deployment, NextBuild, QueuedBuild } from '../table/entities/deployments.ts';
import { on, type Rules } from './on.ts';

export type DeploymentRuleDeps = Parameters<typeof cancelRunning>[0] &
  Parameters<typeof discardBuild>[0] &
  Parameters<typeof admitBuild>[0];

/** Rules about deployments. Those with a build start when the scheduler has admitted them, rollbacks at once. */
export const deploymentRules = (deps: DeploymentRuleDeps): Rules => ({
  'deployment.start-rollback': on(Deployment).created({ status: 'QUEUED', trigger: 'ROLLBACK' }, (deployment) =>
    startDeployment(deps, deployment),
  ),
  'deployment.start': on(Deployment).sets('admittedAt', (deployment) => startDeployment(deps, deployment)),
  'deployment.cancel': on(Deployment).sets('cancelled', (deployment) => cancelRunning(deps, deployment)),
  'build.admit-queued': on(QueuedBuild).created(({ accountId }) => admitBuild(deps, accountId)),
  'build.admit-next': on(NextBuild).removed(() => admitBuild(deps)),
  'build.admit-after': on(Deployment).changes('finishedAt', (deployment) => admitAfter(deps, deployment)),
  // However it failed: its execution may have been stopped before it could.
  'deployment.discard-build': on(Deployment).becomes({ status: 'FAILED' }, (deployment) =>
    discardBuild(deps, deployment),
  ),
});
