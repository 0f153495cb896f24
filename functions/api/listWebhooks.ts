import { listWebhooks as route } from '../../contract/webhooks/endpoints.ts';
import { listWebhooks } from '../../domain/webhooks/endpoints.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /v1/webhooks */
export const handler = endpoint(route, listWebhooks);
