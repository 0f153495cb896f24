import { recordFailure } from '../../domain/deployments/failure.ts';
import { FailureInput } from '../../domain/deployments/inputs.ts';
import { builds } from '../../runtime/bindings/builds.ts';
import { deps } from '../../runtime/deps.ts';
import { reportFailure } from '../../runtime/observability/deployment-metrics.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Ends a failed deployment with a reason for its owner, or lets its build be submitted again. */
export const handler = step(FailureInput, async (input) =>
  reportFailure(input, await recordFailure({ ...deps, builds }, input)),
);
