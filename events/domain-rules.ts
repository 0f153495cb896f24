import type { BaseRule } from 'aws-lambda-stream/pipelines/index';
import { mirrorLater } from '../domain/dns/sync.ts';
import { domainPaid, domainUnpaid, type LifeDeps } from '../domain/domain-life.ts';
import { Invoice } from '../table/entities/billing.ts';
import { Zone } from '../table/entities/registrar.ts';
import { follow, type Rule } from './consume.ts';

export type DomainRuleDeps = LifeDeps & Parameters<typeof mirrorLater>[0];

/** How domains get registered once they are paid for, and their records to the name servers. */
export function domainRules(deps: DomainRuleDeps): BaseRule[] {
  const ofDomain = (status: Invoice['status']): NonNullable<Rule['filters']> => [
    ({ event: { raw } }) => raw.new?.kind === 'DOMAIN' && raw.new.status === status && raw.old?.status !== status,
  ];
  const all: Rule[] = [
    ...['invoice-created', 'invoice-updated'].map((eventType) => ({
      id: `${eventType}-paid-domain-is-registered`,
      flavor: follow,
      eventType,
      filters: ofDomain('PAID'),
      act: ({ event }: Parameters<Rule['act']>[0]) => domainPaid(deps, Invoice.parse(event.raw.new)),
    })),
    {
      id: 'unpaid-domain-is-let-go',
      flavor: follow,
      eventType: 'invoice-updated',
      filters: ofDomain('VOID'),
      act: ({ event }) => domainUnpaid(deps, Invoice.parse(event.raw.new)),
    },
    {
      id: 'changed-zone-is-mirrored',
      flavor: follow,
      eventType: 'zone-updated',
      filters: [({ event: { raw } }) => raw.new?.version !== raw.old?.version],
      act: ({ event }) => mirrorLater(deps, Zone.parse(event.raw.new)),
    },
  ];
  return all;
}
