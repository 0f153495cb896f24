import { ReleaseInput, releaseQuarantined } from '../../domain/processes/quarantine.ts';
import { operatorFunction } from '../../runtime/triggers/operator-function.ts';

/** For operators, by hand: returns one quarantined item, or all of a queue, to the due queue. */
export const handler = operatorFunction(ReleaseInput, (deps, which) => releaseQuarantined(deps, which));
