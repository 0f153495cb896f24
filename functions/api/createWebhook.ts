import { createWebhook as route } from '../../contract/webhooks/endpoints.ts';
import { createWebhook } from '../../domain/webhooks/endpoints.ts';
import { secrets } from '../../runtime/bindings/secrets.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /v1/webhooks */
export const handler = endpoint(route, createWebhook, { secrets });
