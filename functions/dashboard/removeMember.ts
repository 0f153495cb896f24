import { removeMember as route } from '../../contract/accounts/members.ts';
import { removeMember } from '../../domain/accounts/members.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** DELETE /dashboard/v1/members/{id} */
export const handler = endpoint(route, removeMember);
