import { beginDeployment } from '../../domain/deployments/begin.ts';
import { DeploymentInput } from '../../domain/deployments/inputs.ts';
import { withVerdict } from '../../domain/deployments/verdict.ts';
import { buildAccess } from '../../runtime/bindings/build-access.ts';
import { builds } from '../../runtime/bindings/builds.ts';
import { databasePasswords } from '../../runtime/bindings/database-passwords.ts';
import { functionArnPrefix } from '../../runtime/bindings/function-arns.ts';
import { secrets } from '../../runtime/bindings/secrets.ts';
import { cellsWith } from '../../runtime/cells.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

const cellOf = cellsWith({ functionArnPrefix });

/** Marks a deployment as running and stores the job of its build. Returns the job's location, or the reason why the deployment ends. */
export const handler = step(DeploymentInput, (ids) =>
  withVerdict(beginDeployment, { ...deps, buildAccess, builds, cellOf, databasePasswords, secrets }, ids),
);
