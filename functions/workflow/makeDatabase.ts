import { DatabaseInput, provisionDatabase } from '../../domain/databases/provisioning.ts';
import { databases } from '../../runtime/bindings/databases.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Creates a database, or checks one in creation. */
export const handler = step(DatabaseInput, (of) => provisionDatabase({ ...deps, databases }, of));
