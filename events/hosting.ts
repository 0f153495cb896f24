import { cancelHostingOf } from '../domain/billing/subscriptions.ts';
import type { Deps } from '../domain/deps.ts';
import { recheckHostingProofs } from '../domain/hosting/domains.ts';
import { Subscription } from '../table/entities/billing.ts';
import { HostingDomain } from '../table/entities/hosting.ts';
import { Domain } from '../table/entities/registrar.ts';
import { type HandOverDeps, handOverTo } from './hand-over.ts';
import { on, type Rules } from './on.ts';
import { not } from './trigger.ts';

/** Rules about hosting accounts. */
export const hostingRules = (deps: Deps & HandOverDeps): Rules => ({
  'hosting.reconcile-account': on(Subscription).sets(
    'status',
    { plan: { category: not('APP') } },
    // The id of the change names the execution, so that a replay does not start another one.
    handOverTo(deps, 'workflows', Subscription)('hosting.reconcile-account', (_, { id }) => id),
  ),
  // The previous account never proved the domain, or its proof has ended.
  'hosting.cancel-lost': on(HostingDomain).changes('accountId', (_, { before }) =>
    cancelHostingOf(deps, before.accountId, before.domain),
  ),
  'hosting.end-proof': on(Domain).becomes({ status: 'EXPIRED' }, ({ name }) => recheckHostingProofs(deps, name)),
  'hosting.look-for-proof': on(Domain).becomes({ status: 'ACTIVE' }, ({ name }) => recheckHostingProofs(deps, name)),
});
