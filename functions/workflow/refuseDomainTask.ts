import { DomainInput, refuseTask } from '../../domain/registrar/tasks.ts';
import { deps } from '../../runtime/deps.ts';
import { reportRefusal } from '../../runtime/observability/domain-metrics.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Refunds a domain task that the registrar refused. */
export const handler = step(DomainInput, async (ids) => reportRefusal(ids, await refuseTask(deps, ids)));
