import { acceptHeldDomain, routeCustomDomain } from '../domain/custom-domains.ts';
import type { Deps } from '../domain/deps.ts';
import { App } from '../table/entities.ts';
import { follow, type Rule } from './consume.ts';

export type CustomDomainRuleDeps = Deps & Parameters<typeof routeCustomDomain>[0];

const isVerified = (item: Record<string, unknown> | undefined): boolean =>
  item !== undefined && App.parse(item).customDomain?.status === 'VERIFIED';

/** How applications' own domains come to be answered for. */
export function customDomainRules(deps: CustomDomainRuleDeps): Rule[] {
  const act: Rule['act'] = ({ event }) => routeCustomDomain(deps, App.parse(event.raw.new));
  return [
    {
      id: 'domain-that-needs-no-proof-is-routed',
      flavor: follow,
      eventType: 'app-created',
      filters: [({ event: { raw } }) => isVerified(raw.new)],
      act,
    },
    {
      id: 'domain-bought-from-us-needs-no-proof',
      flavor: follow,
      eventType: 'app-created',
      filters: [({ event: { raw } }) => raw.new?.customDomain !== undefined],
      act: ({ event }) => acceptHeldDomain(deps, App.parse(event.raw.new)),
    },
    {
      id: 'proven-domain-is-routed',
      flavor: follow,
      eventType: 'app-updated',
      filters: [({ event: { raw } }) => isVerified(raw.new) && !isVerified(raw.old)],
      act,
    },
  ];
}
