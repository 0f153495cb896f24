import { DeploymentInput } from '../../domain/deployments/inputs.ts';
import { checkRelease } from '../../domain/deployments/release.ts';
import { appHost } from '../../runtime/bindings/app-host.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Checks the health of a release before it receives traffic. */
export const handler = step(DeploymentInput, (ids) => checkRelease({ ...deps, appHost }, ids));
