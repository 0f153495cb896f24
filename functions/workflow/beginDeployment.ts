import { beginDeployment } from '../../domain/releases.ts';
import { DeploymentInput } from '../../domain/workflow.ts';
import { builds } from '../../runtime/builds.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/step.ts';

/** Marks a deployment running and tells the build what to do. */
export const handler = step(DeploymentInput, (ids) => beginDeployment({ ...deps, builds }, ids));
