import { acceptInvitation as route } from '../../contract/accounts/members.ts';
import { acceptInvitation } from '../../domain/accounts/invitations.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /dashboard/v1/invitations/accept */
export const handler = endpoint(route, acceptInvitation);
