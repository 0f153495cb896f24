import { revokeInvitation as route } from '../../contract/accounts/members.ts';
import { revokeInvitation } from '../../domain/accounts/invitations.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** DELETE /dashboard/v1/members/invitations/{id} */
export const handler = endpoint(route, revokeInvitation);
