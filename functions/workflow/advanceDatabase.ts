import { advanceDatabase, DatabaseInput } from '../../domain/databases/clusters.ts';
import { databases } from '../../runtime/bindings/databases.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Creates, changes or deletes the cluster of a database, step by step. */
export const handler = step(DatabaseInput, (of) => advanceDatabase({ ...deps, databases }, of));
