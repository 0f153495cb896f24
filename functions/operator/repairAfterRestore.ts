import { repairAfterRestore } from '../../domain/processes/restore/restore.ts';
import { RestoreInput } from '../../domain/processes/restore/visit.ts';
import { operatorFunction } from '../../runtime/triggers/operator-function.ts';

/** Operator function: brings the state outside the table in line with a restored table. Repeat it with the `cursor` from its output. */
export const handler = operatorFunction(RestoreInput(), (deps, input) => repairAfterRestore(deps, input));
