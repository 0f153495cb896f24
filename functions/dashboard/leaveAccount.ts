import { leaveAccount as route } from '../../contract/accounts/members.ts';
import { leaveAccount } from '../../domain/accounts/members.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** DELETE /dashboard/v1/membership */
export const handler = endpoint(route, leaveAccount);
