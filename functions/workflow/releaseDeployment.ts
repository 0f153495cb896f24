import { ReleaseInput } from '../../domain/deployments/inputs.ts';
import { releaseDeployment } from '../../domain/deployments/release.ts';
import { withVerdict } from '../../domain/deployments/verdict.ts';
import { appHost } from '../../runtime/bindings/app-host.ts';
import { appLogs } from '../../runtime/bindings/app-logs.ts';
import { bucket, builds } from '../../runtime/bindings/builds.ts';
import { cellsWith } from '../../runtime/cells.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

const cellOf = cellsWith({ appHost, appLogs });

/** Creates a release from a deployment's artifact. */
export const handler = step(ReleaseInput, (ids) =>
  withVerdict(releaseDeployment, { ...deps, bucket, builds, cellOf }, ids),
);
