import * as z from 'zod/mini';
import { reconcileCustomDomains } from '../../domain/custom-domains.ts';
import { reconcileDatabases } from '../../domain/database-making.ts';
import { reconcileDeliveries } from '../../domain/delivery-sweep.ts';
import { reconcileZones } from '../../domain/dns-mirror.ts';
import { reconcileDomains } from '../../domain/domain-life.ts';
import { reconcileDoors } from '../../domain/door-keeping.ts';
import { reconcileEvents } from '../../domain/event-sweep.ts';
import { reconcileDeployments, reconcileTeardowns } from '../../domain/executions.ts';
import { reconcileHosting } from '../../domain/hosting-accounts.ts';
import { reportEvents, reportSweep } from '../../runtime/delivery-metrics.ts';
import { deliveryQueue as queue } from '../../runtime/delivery-queue.ts';
import { deps } from '../../runtime/deps.ts';
import { duties } from '../../runtime/duties.ts';
import { databaseMaking, deployments, domainTasks, doorKeeping, hosting, teardowns } from '../../runtime/executions.ts';
import { extensions } from '../../runtime/extensions.ts';
import { mirrorQueue as mirrors } from '../../runtime/mirror-queue.ts';
import { step } from '../../runtime/step.ts';
import { txt } from '../../runtime/txt-records.ts';

const needs = {
  ...deps,
  deployments: deployments(),
  teardowns: teardowns(),
  hosting: hosting(),
  databaseMaking: databaseMaking(),
  domainTasks: domainTasks(),
  doorKeeping: doorKeeping(),
  txt,
  queue,
  mirrors,
  extensions,
};

/** Every minute: finds what is overdue and puts it back on its way. */
export const handler = step(z.unknown(), () =>
  duties({
    deliveries: async () => reportSweep(await reconcileDeliveries(needs)),
    events: async () => reportEvents(await reconcileEvents(needs)),
    deployments: () => reconcileDeployments(needs),
    teardowns: () => reconcileTeardowns(needs),
    hosting: () => reconcileHosting(needs),
    customDomains: () => reconcileCustomDomains(needs),
    doors: () => reconcileDoors(needs),
    databases: () => reconcileDatabases(needs),
    domains: () => reconcileDomains(needs),
    zones: () => reconcileZones(needs),
  }),
);
