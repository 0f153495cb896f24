import { checkRelease } from '../../domain/deployments/check.ts';
import { DeploymentInput } from '../../domain/deployments/inputs.ts';
import { withVerdict } from '../../domain/deployments/verdict.ts';
import { appHost } from '../../runtime/bindings/app-host.ts';
import { appLogs } from '../../runtime/bindings/app-logs.ts';
import { builds } from '../../runtime/bindings/builds.ts';
import { secrets } from '../../runtime/bindings/secrets.ts';
import { cellsWith } from '../../runtime/cells.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

const cellOf = cellsWith({ appHost, appLogs });

/** Checks the health of a release before it receives traffic. */
export const handler = step(DeploymentInput, (ids) =>
  withVerdict(checkRelease, { ...deps, builds, secrets, cellOf }, ids),
);
