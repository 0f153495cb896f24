import { getDocs as route } from '../../contract/docs.ts';
import { page, securityHeaders } from '../../contract/docs-page.ts';
import { endpoint } from '../../runtime/endpoint.ts';

/** GET /docs */
export const handler = endpoint(route, async () => page, {}, securityHeaders);
