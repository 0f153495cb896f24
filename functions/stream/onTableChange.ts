import { consume } from '../../events/consume.ts';
import { rules } from '../../events/rules.ts';
import { deliveryQueue } from '../../runtime/delivery-queue.ts';
import { deps } from '../../runtime/deps.ts';
import { databaseMaking, deployments, domainTasks, doorKeeping, hosting, teardowns } from '../../runtime/executions.ts';
import { hostRoutes } from '../../runtime/host-routes.ts';
import { mirrorQueue as mirrors } from '../../runtime/mirror-queue.ts';
import { payments } from '../../runtime/payments.ts';

/** Every change of the table: what must follow it, follows from here. */
export const handler = consume(
  rules({
    ...deps,
    deployments: deployments(),
    teardowns: teardowns(),
    hosting: hosting(),
    databaseMaking: databaseMaking(),
    domainTasks: domainTasks(),
    doorKeeping: doorKeeping(),
    hostRoutes,
    payments,
    queue: deliveryQueue,
    mirrors,
  }),
);
