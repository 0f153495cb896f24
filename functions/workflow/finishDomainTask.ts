import { DomainInput, finishTask } from '../../domain/registrar/tasks.ts';
import { dns } from '../../runtime/bindings/dns.ts';
import { registrar } from '../../runtime/bindings/registrar.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Completes a domain task that the registrar finished. */
export const handler = step(DomainInput, (ids) => finishTask({ ...deps, registrar, dns }, ids));
