import { rotateSecret as route } from '../../contract/webhooks/management.ts';
import { rotateSecret } from '../../domain/webhook-control.ts';
import { endpoint } from '../../runtime/endpoint.ts';
import { secrets } from '../../runtime/secrets.ts';

/** POST /dashboard/v1/webhooks/{id}/rotate-secret */
export const handler = endpoint(route, rotateSecret, { secrets });
