import { succeedDeployment } from '../../domain/deployments/finish.ts';
import { DeploymentInput } from '../../domain/workflow.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Ends a deployment that went well. */
export const handler = step(DeploymentInput, (ids) => succeedDeployment(deps, ids));
