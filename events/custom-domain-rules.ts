import { acceptHeldDomain, routeCustomDomain, unrouteCustomDomain } from '../domain/custom-domains.ts';
import type { Deps } from '../domain/deps.ts';
import { App } from '../table/entities.ts';
import { follow, type Rule } from './consume.ts';

export type CustomDomainRuleDeps = Deps & Parameters<typeof routeCustomDomain>[0];

const tokenOf = (item: Record<string, unknown> | undefined): string | undefined =>
  item === undefined ? undefined : App.parse(item).customDomain?.token;

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
    ...['app-created', 'app-updated'].map((eventType) => ({
      id: `${eventType}-domain-bought-from-us-needs-no-proof`,
      flavor: follow,
      eventType,
      filters: [
        ({ event: { raw } }: Parameters<Rule['act']>[0]) =>
          raw.new?.customDomain !== undefined && tokenOf(raw.new) !== tokenOf(raw.old),
      ],
      act: ({ event }: Parameters<Rule['act']>[0]) => acceptHeldDomain(deps, App.parse(event.raw.new)),
    })),
    {
      id: 'domain-that-was-let-go-leads-nowhere',
      flavor: follow,
      eventType: 'app-updated',
      filters: [({ event: { raw } }) => isVerified(raw.old) && raw.new !== undefined && tokenOf(raw.new) === undefined],
      act: ({ event }) => unrouteCustomDomain(deps, App.parse(event.raw.old)),
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
