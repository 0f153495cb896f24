import { resendSkipped as route } from '../../contract/webhooks/management.ts';
import { resendSkipped } from '../../domain/webhooks/management.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /dashboard/v1/webhooks/{id}/resend-skipped */
export const handler = endpoint(route, resendSkipped);
