import { listEvents as route } from '../../contract/webhooks/feed.ts';
import { listEvents } from '../../domain/webhooks/feed.ts';
import { batchDeps } from '../../runtime/batch-deps.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /v1/events */
export const handler = endpoint(route, listEvents, { table: batchDeps.table });
