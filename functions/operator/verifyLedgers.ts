import { verifyLedgers } from '../../domain/processes/restore/restore.ts';
import { RestoreInput } from '../../domain/processes/restore/visit.ts';
import { operatorFunction } from '../../runtime/triggers/operator-function.ts';

/** Operator function: compares all balances with their ledgers. Repeat it with the `cursor` from its output. */
export const handler = operatorFunction(RestoreInput(), (deps, input) => verifyLedgers(deps, input));
