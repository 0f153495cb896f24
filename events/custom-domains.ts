import { startReconciliation } from '../domain/custom-domains/reconciliation.ts';
import { endClaimsOfEnded, endClaimsUnder } from '../domain/custom-domains/release.ts';
import { acceptRegisteredDomain, routeCustomDomain, unrouteCustomDomain } from '../domain/custom-domains/verify.ts';
import type { Deps } from '../domain/deps.ts';
import { App } from '../table/entities/apps.ts';
import { DistributionTenant } from '../table/entities/custom-domains.ts';
import { Domain } from '../table/entities/registrar.ts';
import { on, type Rules } from './on.ts';

export type CustomDomainRuleDeps = Deps &
  Parameters<typeof routeCustomDomain>[0] &
  Parameters<typeof startReconciliation>[0];

/** Rules about custom domains and their tenants at the edge. */
export const customDomainRules = (deps: CustomDomainRuleDeps): Rules => ({
  // A domain that is registered with us needs no other proof.
  'custom-domain.verify-registered': on(App).sets('customDomain.token', (app) => acceptRegisteredDomain(deps, app)),
  // The next owner of the name must not find another's application on it.
  'custom-domain.end-with-registration': on(Domain).becomes({ status: 'EXPIRED' }, (domain) =>
    endClaimsOfEnded(deps, domain),
  ),
  'custom-domain.end-at-registration': on(Domain).becomes({ status: 'ACTIVE' }, ({ name, registeredAt }) =>
    endClaimsUnder(deps, name, registeredAt ?? ''),
  ),
  'custom-domain.route': on(App).becomes({ customDomain: { status: 'VERIFIED' } }, (app) =>
    routeCustomDomain(deps, app),
  ),
  'custom-domain.unroute': on(App).updated(
    { from: { customDomain: { status: 'VERIFIED' } }, to: { customDomain: undefined } },
    (_, { before }) => unrouteCustomDomain(deps, before),
  ),
  // The last argument names the execution: the same request twice starts it once.
  'custom-domain.create-tenant': on(DistributionTenant).created((tenant) =>
    startReconciliation(deps, tenant, tenant.token),
  ),
  'custom-domain.check-tenant': on(DistributionTenant).sets('askedAt', (tenant) =>
    startReconciliation(deps, tenant, `${tenant.token}-${Date.parse(tenant.askedAt ?? '')}`),
  ),
  'custom-domain.teardown': on(DistributionTenant).becomes({ status: 'CLOSING' }, (tenant) =>
    startReconciliation(deps, tenant, `${tenant.token}-close`),
  ),
});
