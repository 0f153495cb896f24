import { repairAfterRestore } from '../../domain/processes/restore/restore.ts';
import { RestoreInput } from '../../domain/processes/restore/visit.ts';
import { operatorDeps as deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** For operators, by hand: has everything outside of a restored table follow it. Repeat it with the `cursor` of its output. */
export const handler = step(RestoreInput(), (input) => repairAfterRestore(deps, input));
