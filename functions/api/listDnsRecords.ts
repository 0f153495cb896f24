import { listDnsRecords as route } from '../../contract/dns/records.ts';
import { listDnsRecords } from '../../domain/dns/records.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /v1/domains/{id}/dns */
export const handler = endpoint(route, listDnsRecords);
