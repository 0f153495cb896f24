import { ReleaseInput, releaseQuarantined } from '../../domain/processes/quarantine.ts';
import { operatorFunction } from '../../runtime/triggers/operator-function.ts';

/** Operator function: returns a quarantined item, or all of a queue, to the due queue. */
export const handler = operatorFunction(ReleaseInput, (deps, which) => releaseQuarantined(deps, which));
