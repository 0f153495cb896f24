import { enableWebhook as route } from '../../contract/webhooks/management.ts';
import { enableWebhook } from '../../domain/webhooks/manage.ts';
import { endpoint } from '../../runtime/endpoint.ts';

/** POST /dashboard/v1/webhooks/{id}/enable */
export const handler = endpoint(route, enableWebhook);
