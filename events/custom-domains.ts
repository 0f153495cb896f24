import { endClaimsOfEnded, endClaimsUnder } from '../domain/custom-domains/release.ts';
import { acceptRegisteredDomain } from '../domain/custom-domains/verify.ts';
import type { Deps } from '../domain/deps.ts';
import { App } from '../table/entities/apps.ts';
import { DistributionTenant } from '../table/entities/custom-domains.ts';
import { Domain } from '../table/entities/registrar.ts';
import { type HandOverDeps, handOverTo } from './hand-over.ts';
import { on, type Rules } from './on.ts';

/** Rules about custom domains and their distribution tenants. */
export const customDomainRules = (deps: Deps & HandOverDeps): Rules => ({
  // A domain that is registered with the platform needs no other proof.
  'custom-domain.verify-registered': on(App).sets('customDomain.token', (app) => acceptRegisteredDomain(deps, app)),
  // The next owner of the name must not find the application of another account under it.
  'custom-domain.end-with-registration': on(Domain).becomes({ status: 'EXPIRED' }, (domain) =>
    endClaimsOfEnded(deps, domain),
  ),
  // From the time at which it became a domain of the platform: the registry's date of an adopted domain is years ago.
  'custom-domain.end-at-registration': on(Domain).becomes({ status: 'ACTIVE' }, ({ name, confirmedAt = '' }) =>
    endClaimsUnder(deps, name, confirmedAt),
  ),
  'custom-domain.route': on(App).becomes(
    { customDomain: { status: 'VERIFIED' } },
    handOverTo(deps, 'routes', App)('custom-domain.route'),
  ),
  'custom-domain.unroute': on(App).updated(
    { from: { customDomain: { status: 'VERIFIED' } }, to: { customDomain: undefined } },
    handOverTo(deps, 'routes', App)('custom-domain.unroute', (_, { before }) => before?.customDomain?.host ?? ''),
  ),
  // The second argument names the execution, so that a repeated request starts it only once.
  'custom-domain.create-tenant': on(DistributionTenant).created(
    handOverTo(deps, 'workflows', DistributionTenant)('tenant.reconcile', ({ token }) => token),
  ),
  'custom-domain.check-tenant': on(DistributionTenant).sets(
    'askedAt',
    handOverTo(
      deps,
      'workflows',
      DistributionTenant,
    )('tenant.reconcile', ({ token, askedAt = '' }) => `${token}-${Date.parse(askedAt)}`),
  ),
  'custom-domain.teardown': on(DistributionTenant).becomes(
    { status: 'CLOSING' },
    handOverTo(deps, 'workflows', DistributionTenant)('tenant.reconcile', ({ token }) => `${token}-close`),
  ),
});
