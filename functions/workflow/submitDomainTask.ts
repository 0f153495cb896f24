import { submitTask } from '../../domain/registrar/tasks.ts';
import { DomainInput } from '../../domain/workflow.ts';
import { registrar } from '../../runtime/bindings/registrar.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Asks the registrar to register or renew a domain. */
export const handler = step(DomainInput, (ids) => submitTask({ ...deps, registrar }, ids));
