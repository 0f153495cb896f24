import { explainFailure } from '../../domain/deployments/failure.ts';
import { FailureInput } from '../../domain/workflow.ts';
import { builds } from '../../runtime/bindings/builds.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Ends a deployment that failed, with a reason that its owner understands. */
export const handler = step(FailureInput, ({ error, ...ids }) => explainFailure({ ...deps, builds }, ids, error));
