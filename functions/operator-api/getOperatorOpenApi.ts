import { getOperatorOpenApi as route } from '../../contract/operator/routes.ts';
import { buildOpenApi } from '../../contract/reference/openapi.ts';
import { required } from '../../runtime/config.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /operator/v1/openapi.json */
export const handler = endpoint(route, async ({ settings }) =>
  buildOpenApi(settings.publicUrl, required('LOGIN_ISSUER'), 'operator'),
);
