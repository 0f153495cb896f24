import { handleZoneMessage } from '../../domain/dns/release.ts';
import { DomainInput } from '../../domain/registrar/tasks.ts';
import { delegations } from '../../runtime/bindings/delegations.ts';
import { dns } from '../../runtime/bindings/dns.ts';
import { deps } from '../../runtime/deps.ts';
import { reportZoneSync } from '../../runtime/observability/domain-metrics.ts';
import { consumer } from '../../runtime/triggers/consumer.ts';

/** Syncs the queued zones from the table to the name servers, and deletes released zones that are no longer needed. */
export const handler = consumer(DomainInput, async (ids) =>
  reportZoneSync(ids, await handleZoneMessage({ ...deps, dns, delegations }, ids)),
);
