import { DeploymentInput } from '../../domain/deployments/inputs.ts';
import { pruneReleases } from '../../domain/deployments/rollback.ts';
import { appHost } from '../../runtime/bindings/app-host.ts';
import { builds } from '../../runtime/bindings/builds.ts';
import { cellsWith } from '../../runtime/cells.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

const cellOf = cellsWith({ appHost });

/** Removes the releases that are not kept. */
export const handler = step(DeploymentInput, (ids) => pruneReleases({ ...deps, builds, cellOf }, ids));
