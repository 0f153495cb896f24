import { buildOpenApi } from '../../contract/reference/openapi.ts';
import { getDashboardOpenApi as route } from '../../contract/reference/routes.ts';
import { required } from '../../runtime/config.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /dashboard/v1/openapi.json */
export const handler = endpoint(route, async ({ settings }) =>
  buildOpenApi(settings.publicUrl, required('LOGIN_ISSUER'), 'dashboard'),
);
