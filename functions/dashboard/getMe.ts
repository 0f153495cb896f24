import { getMe as route } from '../../contract/accounts/me.ts';
import { getMe } from '../../domain/accounts/me.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /dashboard/v1/me */
export const handler = endpoint(route, getMe);
