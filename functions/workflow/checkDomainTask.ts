import { checkTask, DomainInput } from '../../domain/registrar/tasks.ts';
import { registrar } from '../../runtime/bindings/registrar.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Reads the progress of a domain task from the registrar. */
export const handler = step(DomainInput, (ids) => checkTask({ ...deps, registrar }, ids));
