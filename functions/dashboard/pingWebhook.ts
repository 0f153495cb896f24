import { pingWebhook as route } from '../../contract/webhooks/management.ts';
import { pingWebhook } from '../../domain/webhooks/management.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /dashboard/v1/webhooks/{id}/ping */
export const handler = endpoint(route, pingWebhook);
