import { verifyLedgers } from '../../domain/processes/restore/restore.ts';
import { RestoreInput } from '../../domain/processes/restore/visit.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** For operators, by hand: compares all balances with their ledgers. Repeat it with the `cursor` of its output. */
export const handler = step(RestoreInput(), (input) => verifyLedgers(deps, input));
