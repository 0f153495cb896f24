import { releaseDeployment } from '../../domain/releases.ts';
import { DeploymentInput } from '../../domain/workflow.ts';
import { appHost } from '../../runtime/app-host.ts';
import { appLogs } from '../../runtime/app-logs.ts';
import { bucket, builds } from '../../runtime/builds.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/step.ts';

/** Makes a release of what was built. */
export const handler = step(DeploymentInput, (ids) =>
  releaseDeployment({ ...deps, appHost, appLogs, bucket, builds }, ids),
);
