import { readAccount as route } from '../../contract/operator/accounts.ts';
import { readAccount } from '../../domain/operator/account.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /operator/v1/accounts/{id} */
export const handler = endpoint(route, readAccount);
