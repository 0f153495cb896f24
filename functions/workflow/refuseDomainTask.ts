import { refuseTask } from '../../domain/domain-tasks.ts';
import { DomainInput } from '../../domain/workflow.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/step.ts';

/** What the registrar refuses is refunded. */
export const handler = step(DomainInput, (ids) => refuseTask(deps, ids));
