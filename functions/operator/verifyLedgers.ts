import { RestoreInput, verifyLedgers } from '../../domain/processes/restore.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** For operators, by hand: compares all balances with their ledgers. Repeat it with the `cursor` of its output. */
export const handler = step(RestoreInput(), (input) => verifyLedgers(deps, input));
