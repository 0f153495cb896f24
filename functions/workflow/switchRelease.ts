import { DeploymentInput } from '../../domain/deployments/inputs.ts';
import { switchRelease } from '../../domain/deployments/release.ts';
import { withVerdict } from '../../domain/deployments/verdict.ts';
import { appAccess } from '../../runtime/bindings/app-access.ts';
import { appHost } from '../../runtime/bindings/app-host.ts';
import { hostRoutes } from '../../runtime/bindings/host-routes.ts';
import { cellsWith } from '../../runtime/cells.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

const cellOf = cellsWith({ appAccess, appHost, hostRoutes });

/** Moves an application's traffic to a release. */
export const handler = step(DeploymentInput, (ids) => withVerdict(switchRelease, { ...deps, cellOf }, ids));
