import { DomainInput, submitTask } from '../../domain/registrar/tasks.ts';
import { registrar } from '../../runtime/bindings/registrar.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Submits a domain registration or renewal to the registrar. */
export const handler = step(DomainInput, (ids) => submitTask({ ...deps, registrar }, ids));
