import { cancelRunning, discardBuild, startDeployment } from '../domain/deployments/executions.ts';
import { Deployment } from '../table/entities/deployments.ts';
import { on, type Rules } from './on.ts';

export type DeploymentRuleDeps = Parameters<typeof cancelRunning>[0] & Parameters<typeof discardBuild>[0];

/** Rules about deployments. A deployment that waits for another one starts when its turn comes. */
export const deploymentRules = (deps: DeploymentRuleDeps): Rules => ({
  'deployment.start': on(Deployment).created({ status: 'QUEUED', waiting: undefined }, (deployment) =>
    startDeployment(deps, deployment),
  ),
  'deployment.start-next': on(Deployment).updated(
    { from: { waiting: true }, to: { waiting: undefined } },
    (deployment) => startDeployment(deps, deployment),
  ),
  'deployment.cancel': on(Deployment).sets('cancelled', (deployment) => cancelRunning(deps, deployment)),
  // However it failed: its execution may have been stopped before it could.
  'deployment.discard-build': on(Deployment).becomes({ status: 'FAILED' }, (deployment) =>
    discardBuild(deps, deployment),
  ),
});
