import { mirrorZone } from '../../domain/dns-mirror.ts';
import { DomainInput } from '../../domain/workflow.ts';
import { consumer } from '../../runtime/consumer.ts';
import { deps } from '../../runtime/deps.ts';
import { dns } from '../../runtime/dns.ts';

/** Makes the name servers hold what the table holds. */
export const handler = consumer(DomainInput, async (ids) => ({ ...ids, ...(await mirrorZone({ ...deps, dns }, ids)) }));
