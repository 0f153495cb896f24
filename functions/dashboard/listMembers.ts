import { listMembers as route } from '../../contract/accounts/members.ts';
import { listMembers } from '../../domain/accounts/members.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /dashboard/v1/members */
export const handler = endpoint(route, listMembers);
