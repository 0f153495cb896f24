import { makeDatabase } from '../../domain/databases/provisioning.ts';
import { DatabaseInput } from '../../domain/workflow.ts';
import { databases } from '../../runtime/databases.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** One look at a database that is being made. */
export const handler = step(DatabaseInput, (of) => makeDatabase({ ...deps, databases }, of));
