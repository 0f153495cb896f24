import { inviteMember as route } from '../../contract/accounts/members.ts';
import { inviteMember } from '../../domain/accounts/invitations.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /dashboard/v1/members/invitations */
export const handler = endpoint(route, inviteMember);
