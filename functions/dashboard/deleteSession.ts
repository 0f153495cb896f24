import { deleteSession as route } from '../../contract/accounts/session.ts';
import { deleteSession } from '../../domain/accounts/sessions.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** DELETE /dashboard/v1/session */
export const handler = endpoint(route, deleteSession);
