import { consume } from '../../events/consume.ts';
import { rules } from '../../events/rules.ts';
import { deliveryQueue as queue } from '../../runtime/bindings/delivery-queue.ts';
import { machines } from '../../runtime/bindings/executions.ts';
import { payments } from '../../runtime/bindings/payments.ts';
import { deps } from '../../runtime/deps.ts';
import { hostRoutes } from '../../runtime/host-routes.ts';
import { mirrorQueue as mirrors } from '../../runtime/mirror-queue.ts';

/** Every change of the table: what must follow it, follows from here. */
export const handler = consume(rules({ ...deps, ...machines, hostRoutes, payments, queue, mirrors }));
