import { createWebhook as route } from '../../contract/webhooks/endpoints.ts';
import { createWebhook } from '../../domain/webhooks.ts';
import { endpoint } from '../../runtime/endpoint.ts';
import { secrets } from '../../runtime/secrets.ts';

/** POST /v1/webhooks */
export const handler = endpoint(route, createWebhook, { secrets });
