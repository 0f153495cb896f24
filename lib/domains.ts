import type { Use } from './rights.ts';

/** Why rights at the registrar are not narrower than everything. */
const NO_RESOURCES = 'Route 53 Domains knows no resources';

/** Asking the registrar whether a name is free. */
export const askRegistrar: Use = {
  rights: [{ actions: ['route53domains:CheckDomainAvailability'], on: ['*'], wildcard: NO_RESOURCES }],
};
