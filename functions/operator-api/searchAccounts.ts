import { searchAccounts as route } from '../../contract/operator/accounts.ts';
import { searchAccounts } from '../../domain/operator/search.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /operator/v1/search */
export const handler = endpoint(route, searchAccounts);
