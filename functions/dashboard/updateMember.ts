import { updateMember as route } from '../../contract/accounts/members.ts';
import { updateMember } from '../../domain/accounts/members.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** PATCH /dashboard/v1/members/{id} */
export const handler = endpoint(route, updateMember);
