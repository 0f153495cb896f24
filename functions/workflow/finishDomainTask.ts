import { finishTask } from '../../domain/registrar/tasks.ts';
import { DomainInput } from '../../domain/workflow.ts';
import { dns } from '../../runtime/bindings/dns.ts';
import { registrar } from '../../runtime/bindings/registrar.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** What the registrar has done, the platform has done. */
export const handler = step(DomainInput, (ids) => finishTask({ ...deps, registrar, dns }, ids));
