import { consume } from '../../events/consume.ts';
import { rules } from '../../events/rules.ts';
import { deployments, teardowns } from '../../runtime/executions.ts';
import { hostRoutes } from '../../runtime/host-routes.ts';

/** Every change of the table: what must follow it, follows from here. */
export const handler = consume(rules({ deployments: deployments(), teardowns: teardowns(), hostRoutes }));
