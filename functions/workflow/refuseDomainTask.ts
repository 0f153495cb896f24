import { refuseTask } from '../../domain/registrar/tasks.ts';
import { DomainInput } from '../../domain/workflow.ts';
import { deps } from '../../runtime/deps.ts';
import { reportRefusal } from '../../runtime/domain-metrics.ts';
import { step } from '../../runtime/triggers/step.ts';

/** What the registrar refuses is refunded. */
export const handler = step(DomainInput, async (ids) => reportRefusal(ids, await refuseTask(deps, ids)));
