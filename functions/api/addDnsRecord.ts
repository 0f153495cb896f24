import { addDnsRecord as route } from '../../contract/dns/records.ts';
import { addDnsRecord } from '../../domain/dns/records.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /v1/domains/{id}/dns */
export const handler = endpoint(route, addDnsRecord);
