import { finishTask } from '../../domain/domain-tasks.ts';
import { DomainInput } from '../../domain/workflow.ts';
import { deps } from '../../runtime/deps.ts';
import { dns } from '../../runtime/dns.ts';
import { registrar } from '../../runtime/registrar.ts';
import { step } from '../../runtime/step.ts';

/** What the registrar has done, the platform has done. */
export const handler = step(DomainInput, (ids) => finishTask({ ...deps, registrar, dns }, ids));
