import { verifyLedgers } from '../../domain/processes/restore/restore.ts';
import { RestoreInput } from '../../domain/processes/restore/visit.ts';
import { byHand } from '../../runtime/triggers/by-hand.ts';

/** For operators, by hand: compares all balances with their ledgers. Repeat it with the `cursor` of its output. */
export const handler = byHand(RestoreInput(), (deps, input) => verifyLedgers(deps, input));
