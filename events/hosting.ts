import { startReconciliation } from '../domain/hosting/accounts.ts';
import { Subscription } from '../table/entities/billing.ts';
import { on, type Rules } from './on.ts';
import { not } from './trigger.ts';

export type HostingRuleDeps = Parameters<typeof startReconciliation>[0];

/** Rules about accounts on hosting servers. */
export const hostingRules = (deps: HostingRuleDeps): Rules => ({
  'hosting.reconcile-account': on(Subscription).sets(
    'status',
    { plan: { category: not('APP') } },
    (subscription, { id }) => startReconciliation(deps, subscription, id),
  ),
});
