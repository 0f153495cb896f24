import { checkRelease } from '../../domain/deployments/release.ts';
import { DeploymentInput } from '../../domain/workflow.ts';
import { appHost } from '../../runtime/bindings/app-host.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Tries a release before it takes traffic. */
export const handler = step(DeploymentInput, (ids) => checkRelease({ ...deps, appHost }, ids));
