import { succeedDeployment } from '../../domain/deployments/finish.ts';
import { DeploymentInput } from '../../domain/deployments/inputs.ts';
import { deps } from '../../runtime/deps.ts';
import { reportSuccess } from '../../runtime/observability/deployment-metrics.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Ends a successful deployment. */
export const handler = step(DeploymentInput, async (ids) => {
  await succeedDeployment(deps, ids);
  reportSuccess(ids);
});
