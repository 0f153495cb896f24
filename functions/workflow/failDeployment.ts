import { recordFailure } from '../../domain/deployments/failure.ts';
import { FailureInput } from '../../domain/deployments/inputs.ts';
import { builds } from '../../runtime/bindings/builds.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Ends a failed deployment with a reason for its owner. */
export const handler = step(FailureInput, ({ error, ...ids }) => recordFailure({ ...deps, builds }, ids, error));
