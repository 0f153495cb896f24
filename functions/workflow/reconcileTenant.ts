import { reconcileTenant, TenantInput } from '../../domain/custom-domains/edge-tenant.ts';
import { dnsResolver } from '../../runtime/bindings/dns-resolver.ts';
import { edgeEndpoint } from '../../runtime/bindings/edge-endpoint.ts';
import { distributionTenants } from '../../runtime/bindings/edge-tenants.ts';
import { hostRoutes } from '../../runtime/bindings/host-routes.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Checks the edge tenant of a custom domain once and takes the next step. */
export const handler = step(TenantInput, (of) =>
  reconcileTenant(
    { ...deps, edgeTenants: distributionTenants, dnsResolver: dnsResolver, hostRoutes, edgeEndpoint: edgeEndpoint },
    of,
  ),
);
