import { changeLimits as route } from '../../contract/operator/actions.ts';
import { changeLimits } from '../../domain/operator/actions.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** PATCH /operator/v1/accounts/{id}/limits */
export const handler = endpoint(route, changeLimits);
