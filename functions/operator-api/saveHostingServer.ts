import { saveHostingServer as route } from '../../contract/operator/settings.ts';
import { saveHostingServer } from '../../domain/operator/settings.ts';
import { secrets } from '../../runtime/bindings/secrets.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** PUT /operator/v1/hosting-servers/{name} */
export const handler = endpoint(route, saveHostingServer, { secrets });
