import { getHosting as route } from '../../contract/hosting/hosting.ts';
import { getHosting } from '../../domain/hosting/subscriptions.ts';
import { panel } from '../../runtime/bindings/hosting-panel.ts';
import { secrets } from '../../runtime/bindings/secrets.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /v1/hosting/{id} */
export const handler = endpoint(route, getHosting, { panel, secrets });
