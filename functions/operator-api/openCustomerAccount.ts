import { openCustomerAccount as route } from '../../contract/operator/actions.ts';
import { openCustomerAccount } from '../../domain/operator/actions.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /operator/v1/accounts */
export const handler = endpoint(route, openCustomerAccount);
