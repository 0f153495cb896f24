import { reconcileTenant, TenantInput } from '../../domain/custom-domains/edge-tenant.ts';
import { dnsResolver } from '../../runtime/bindings/dns-resolver.ts';
import { edgeEndpoint } from '../../runtime/bindings/edge-endpoint.ts';
import { edgeTenants } from '../../runtime/bindings/edge-tenants.ts';
import { hostRoutes } from '../../runtime/bindings/host-routes.ts';
import { cellsWith } from '../../runtime/cells.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

const cellOf = cellsWith({ edgeTenants, hostRoutes, edgeEndpoint });

/** Checks the distribution tenant of a custom domain once, and takes the next step. */
export const handler = step(TenantInput, (of) => reconcileTenant({ ...deps, dnsResolver, cellOf }, of));
