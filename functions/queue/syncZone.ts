import { syncZone } from '../../domain/dns/sync.ts';
import { DomainInput } from '../../domain/registrar/tasks.ts';
import { dns } from '../../runtime/bindings/dns.ts';
import { deps } from '../../runtime/deps.ts';
import { reportZoneSync } from '../../runtime/observability/domain-metrics.ts';
import { consumer } from '../../runtime/triggers/consumer.ts';

/** Syncs the queued zones from the table to the name servers. */
export const handler = consumer(DomainInput, async (ids) => reportZoneSync(ids, await syncZone({ ...deps, dns }, ids)));
