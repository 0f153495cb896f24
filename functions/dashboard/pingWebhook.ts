import { pingWebhook as route } from '../../contract/webhook-control.ts';
import { pingWebhook } from '../../domain/webhook-control.ts';
import { endpoint } from '../../runtime/endpoint.ts';

/** POST /dashboard/v1/webhooks/{id}/ping */
export const handler = endpoint(route, pingWebhook);
