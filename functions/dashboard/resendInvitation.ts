import { resendInvitation as route } from '../../contract/accounts/members.ts';
import { resendInvitation } from '../../domain/accounts/invitations.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /dashboard/v1/members/invitations/{id}/resend */
export const handler = endpoint(route, resendInvitation);
