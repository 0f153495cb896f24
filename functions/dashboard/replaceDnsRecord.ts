import { replaceDnsRecord as route } from '../../contract/dns/records.ts';
import { replaceDnsRecord } from '../../domain/dns/records.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** PUT /dashboard/v1/domains/{id}/dns/{recordId} */
export const handler = endpoint(route, replaceDnsRecord);
