import { DeploymentInput } from '../../domain/deployments/inputs.ts';
import { beginDeployment } from '../../domain/deployments/release.ts';
import { builds } from '../../runtime/bindings/builds.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Marks a deployment running and stores the build's job. */
export const handler = step(DeploymentInput, (ids) => beginDeployment({ ...deps, builds }, ids));
