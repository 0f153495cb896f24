import { mirrorZone } from '../../domain/dns/sync.ts';
import { DomainInput } from '../../domain/workflow.ts';
import { dns } from '../../runtime/bindings/dns.ts';
import { deps } from '../../runtime/deps.ts';
import { consumer } from '../../runtime/triggers/consumer.ts';

/** Makes the name servers hold what the table holds. */
export const handler = consumer(DomainInput, async (ids) => ({ ...ids, ...(await mirrorZone({ ...deps, dns }, ids)) }));
