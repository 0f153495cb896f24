import * as z from 'zod/mini';
import { reconcileDatabases } from '../../domain/database-making.ts';
import { reconcileDeliveries } from '../../domain/delivery-sweep.ts';
import { reconcileDeployments, reconcileTeardowns } from '../../domain/executions.ts';
import { reconcileHosting } from '../../domain/hosting-accounts.ts';
import { reportSweep } from '../../runtime/delivery-metrics.ts';
import { deliveryQueue as queue } from '../../runtime/delivery-queue.ts';
import { deps } from '../../runtime/deps.ts';
import { duties } from '../../runtime/duties.ts';
import { databaseMaking, deployments, hosting, teardowns } from '../../runtime/executions.ts';
import { step } from '../../runtime/step.ts';

const needs = {
  ...deps,
  deployments: deployments(),
  teardowns: teardowns(),
  hosting: hosting(),
  databaseMaking: databaseMaking(),
  queue,
};

/** Every minute: finds what is overdue and puts it back on its way. */
export const handler = step(z.unknown(), () =>
  duties({
    deliveries: async () => reportSweep(await reconcileDeliveries(needs)),
    deployments: () => reconcileDeployments(needs),
    teardowns: () => reconcileTeardowns(needs),
    hosting: () => reconcileHosting(needs),
    databases: () => reconcileDatabases(needs),
  }),
);
