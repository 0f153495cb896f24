import { getAccount as route } from '../../contract/accounts/accounts.ts';
import { getAccount } from '../../domain/accounts/accounts.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /v1/account */
export const handler = endpoint(route, getAccount);
