import { enableWebhook as route } from '../../contract/webhooks/management.ts';
import { enableWebhook } from '../../domain/webhooks/management.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /dashboard/v1/webhooks/{id}/enable */
export const handler = endpoint(route, enableWebhook);
