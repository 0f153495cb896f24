import { openApi } from '../../contract/reference/openapi.ts';
import { getOpenApi as route } from '../../contract/reference/routes.ts';
import { required } from '../../runtime/config.ts';
import { endpoint } from '../../runtime/endpoint.ts';

/** GET /v1/openapi.json */
export const handler = endpoint(route, async ({ settings }) => openApi(settings.publicUrl, required('LOGIN_ISSUER')));
