import { ReleaseInput, releaseQuarantined } from '../../domain/processes/quarantine.ts';
import { operatorDeps as deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** For operators, by hand: returns one quarantined item, or all of a queue, to the due queue. */
export const handler = step(ReleaseInput, (which) => releaseQuarantined(deps, which));
