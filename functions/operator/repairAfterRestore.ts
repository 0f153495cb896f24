import { repairAfterRestore } from '../../domain/processes/restore/restore.ts';
import { RestoreInput } from '../../domain/processes/restore/visit.ts';
import { operatorFunction } from '../../runtime/triggers/operator-function.ts';

/** For operators, by hand: has everything outside of a restored table follow it. Repeat it with the `cursor` of its output. */
export const handler = operatorFunction(RestoreInput(), (deps, input) => repairAfterRestore(deps, input));
