import { deleteDnsRecord as route } from '../../contract/dns/records.ts';
import { deleteDnsRecord } from '../../domain/dns/records.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** DELETE /v1/domains/{id}/dns/{recordId} */
export const handler = endpoint(route, deleteDnsRecord);
