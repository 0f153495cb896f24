import { rotateSecret as route } from '../../contract/webhooks/management.ts';
import { rotateSecret } from '../../domain/webhooks/management.ts';
import { secrets } from '../../runtime/bindings/secrets.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /dashboard/v1/webhooks/{id}/rotate-secret */
export const handler = endpoint(route, rotateSecret, { secrets });
