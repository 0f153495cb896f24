import { beginDeployment } from '../../domain/deployments/release.ts';
import { DeploymentInput } from '../../domain/workflow.ts';
import { builds } from '../../runtime/bindings/builds.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Marks a deployment running and tells the build what to do. */
export const handler = step(DeploymentInput, (ids) => beginDeployment({ ...deps, builds }, ids));
