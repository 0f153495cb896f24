import { listAuditEntries as route } from '../../contract/audit/audit.ts';
import { listAuditEntries } from '../../domain/audit/log.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /dashboard/v1/audit */
export const handler = endpoint(route, listAuditEntries);
