import { ReleaseInput, releaseQuarantined } from '../../domain/processes/quarantine.ts';
import { byHand } from '../../runtime/triggers/by-hand.ts';

/** For operators, by hand: returns one quarantined item, or all of a queue, to the due queue. */
export const handler = byHand(ReleaseInput, (deps, which) => releaseQuarantined(deps, which));
