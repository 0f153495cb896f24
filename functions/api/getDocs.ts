import { page, securityHeaders } from '../../contract/reference/page.ts';
import { getDocs as route } from '../../contract/reference/routes.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /docs */
export const handler = endpoint(route, async () => page, {}, securityHeaders);
