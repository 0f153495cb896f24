import { enqueueZoneSync } from '../domain/dns/sync.ts';
import { Zone } from '../table/entities/dns.ts';
import { on, type Rules } from './on.ts';

export type DnsRuleDeps = Parameters<typeof enqueueZoneSync>[0];

/** Rules about DNS zones. */
export const dnsRules = (deps: DnsRuleDeps): Rules => ({
  'zone.sync': on(Zone).changes('version', (zone) => enqueueZoneSync(deps, zone)),
});
