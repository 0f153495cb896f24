import { checkTask } from '../../domain/registrar/tasks.ts';
import { DomainInput } from '../../domain/workflow.ts';
import { registrar } from '../../runtime/bindings/registrar.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Asks the registrar how far it is. */
export const handler = step(DomainInput, (ids) => checkTask({ ...deps, registrar }, ids));
