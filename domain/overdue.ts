import { reconcileCustomDomains } from './custom-domains.ts';
import { reconcileDatabases } from './databases/provisioning.ts';
import { reconcileDeliveries } from './delivery-sweep.ts';
import { reconcileZones } from './dns/sync.ts';
import { reconcileDomains } from './domain-life.ts';
import { reconcileDoors } from './door-keeping.ts';
import { reconcileEvents } from './event-sweep.ts';
import { reconcileDeployments, reconcileTeardowns } from './executions.ts';
import { reconcileHosting } from './hosting/accounts.ts';

type OverdueDeps = Parameters<typeof reconcileDeliveries>[0] &
  Parameters<typeof reconcileDeployments>[0] &
  Parameters<typeof reconcileTeardowns>[0] &
  Parameters<typeof reconcileHosting>[0] &
  Parameters<typeof reconcileCustomDomains>[0] &
  Parameters<typeof reconcileDoors>[0] &
  Parameters<typeof reconcileDatabases>[0] &
  Parameters<typeof reconcileDomains>[0] &
  Parameters<typeof reconcileZones>[0];

/** What the reconciler sees to: all that was started from the stream, and could have got lost on its way. */
export const overdue = (deps: OverdueDeps) => ({
  deliveries: () => reconcileDeliveries(deps),
  events: () => reconcileEvents(deps),
  deployments: () => reconcileDeployments(deps),
  teardowns: () => reconcileTeardowns(deps),
  hosting: () => reconcileHosting(deps),
  customDomains: () => reconcileCustomDomains(deps),
  doors: () => reconcileDoors(deps),
  databases: () => reconcileDatabases(deps),
  domains: () => reconcileDomains(deps),
  zones: () => reconcileZones(deps),
});
