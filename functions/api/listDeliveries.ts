import { listDeliveries as route } from '../../contract/webhooks/management.ts';
import { listDeliveries } from '../../domain/webhooks/management.ts';
import { batchDeps } from '../../runtime/batch-deps.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /v1/webhooks/{id}/deliveries */
export const handler = endpoint(route, listDeliveries, { table: batchDeps.table });
