import { getHosting as route } from '../../contract/hosting/hosting.ts';
import { getHosting } from '../../domain/hosting.ts';
import { endpoint } from '../../runtime/endpoint.ts';
import { panel } from '../../runtime/panel.ts';
import { secrets } from '../../runtime/secrets.ts';

/** GET /v1/hosting/{id} */
export const handler = endpoint(route, getHosting, { panel, secrets });
