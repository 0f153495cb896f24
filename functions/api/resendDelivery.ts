import { resendDelivery as route } from '../../contract/webhooks/management.ts';
import { resendDelivery } from '../../domain/webhooks/management.ts';
import { batchDeps } from '../../runtime/batch-deps.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /v1/deliveries/{id}/resend */
export const handler = endpoint(route, resendDelivery, { table: batchDeps.table });
