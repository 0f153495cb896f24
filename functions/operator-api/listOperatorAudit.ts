import { listOperatorAudit as route } from '../../contract/operator/accounts.ts';
import { listOperatorAudit } from '../../domain/operator/audit.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /operator/v1/audit */
export const handler = endpoint(route, listOperatorAudit);
