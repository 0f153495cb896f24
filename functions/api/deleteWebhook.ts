import { deleteWebhook as route } from '../../contract/webhooks/endpoints.ts';
import { deleteWebhook } from '../../domain/webhooks/endpoints.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** DELETE /v1/webhooks/{id} */
export const handler = endpoint(route, deleteWebhook);
