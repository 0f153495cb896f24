import { consume } from '../../events/consume.ts';
import { rules } from '../../events/rules.ts';
import { appAccess } from '../../runtime/bindings/app-access.ts';
import { buildRunner } from '../../runtime/bindings/build-runner.ts';
import { builds } from '../../runtime/bindings/builds.ts';
import { deliveryQueue as queue } from '../../runtime/bindings/delivery-queue.ts';
import { machines } from '../../runtime/bindings/executions.ts';
import { hostRoutes } from '../../runtime/bindings/host-routes.ts';
import { payments } from '../../runtime/bindings/payments.ts';
import { zoneSyncQueue as mirrors } from '../../runtime/bindings/zone-sync-queue.ts';
import { cellsWith } from '../../runtime/cells.ts';
import { deps } from '../../runtime/deps.ts';

/** Starts the side effects of each change to the table. */
export const handler = consume(
  rules({
    ...deps,
    ...machines,
    builds,
    buildRunner,
    payments,
    queue,
    mirrors,
    cellOf: cellsWith({ appAccess, hostRoutes }),
  }),
);
