import { enqueueZoneSync } from '../domain/dns/sync.ts';
import { Zone } from '../table/entities/dns.ts';
import { on, type Rules } from './on.ts';

/** Rules about DNS zones. */
export const dnsRules = (deps: Parameters<typeof enqueueZoneSync>[0]): Rules => ({
  'zone.sync': on(Zone).changes('version', (zone) => enqueueZoneSync(deps, zone)),
});
