import { updateWebhook as route } from '../../contract/webhooks/management.ts';
import { updateWebhook } from '../../domain/webhooks/management.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** PATCH /dashboard/v1/webhooks/{id} */
export const handler = endpoint(route, updateWebhook);
