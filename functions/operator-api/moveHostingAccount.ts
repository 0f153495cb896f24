import { moveHostingAccount as route } from '../../contract/operator/settings.ts';
import { moveHostingAccount } from '../../domain/operator/settings.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** PUT /operator/v1/accounts/{id}/hosting/{subscriptionId}/server */
export const handler = endpoint(route, moveHostingAccount);
