import { submitTask } from '../../domain/domain-tasks.ts';
import { DomainInput } from '../../domain/workflow.ts';
import { deps } from '../../runtime/deps.ts';
import { registrar } from '../../runtime/registrar.ts';
import { step } from '../../runtime/step.ts';

/** Asks the registrar to register or renew a domain. */
export const handler = step(DomainInput, (ids) => submitTask({ ...deps, registrar }, ids));
