import { createHash } from 'node:crypto';
import { pageHeaders, renderPage } from '../../contract/reference/page.ts';
import { script } from '../../contract/reference/page-script.ts';
import { getDocs as route } from '../../contract/reference/routes.ts';
import { deps } from '../../runtime/deps.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

const page = renderPage(deps.settings.publicUrl);
const headers = pageHeaders(createHash('sha256').update(script).digest('base64'));

/** GET /docs */
export const handler = endpoint(route, async () => page, {}, headers);
