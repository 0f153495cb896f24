import { switchRelease } from '../../domain/deployments/release.ts';
import { DeploymentInput } from '../../domain/workflow.ts';
import { appHost } from '../../runtime/bindings/app-host.ts';
import { deps } from '../../runtime/deps.ts';
import { hostRoutes } from '../../runtime/host-routes.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Sends the traffic to a release. */
export const handler = step(DeploymentInput, (ids) => switchRelease({ ...deps, appHost, hostRoutes }, ids));
