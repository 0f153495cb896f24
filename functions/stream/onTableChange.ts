import { consume } from '../../events/consume.ts';
import { rules } from '../../events/rules.ts';
import { deliveryQueue as queue } from '../../runtime/delivery-queue.ts';
import { deps } from '../../runtime/deps.ts';
import { machines } from '../../runtime/executions.ts';
import { hostRoutes } from '../../runtime/host-routes.ts';
import { mirrorQueue as mirrors } from '../../runtime/mirror-queue.ts';
import { payments } from '../../runtime/payments.ts';

/** Every change of the table: what must follow it, follows from here. */
export const handler = consume(rules({ ...deps, ...machines, hostRoutes, payments, queue, mirrors }));
