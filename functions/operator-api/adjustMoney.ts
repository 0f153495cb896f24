import { adjustMoney as route } from '../../contract/operator/actions.ts';
import { adjustMoney } from '../../domain/operator/actions.ts';
import { plans } from '../../runtime/bindings/plans.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /operator/v1/accounts/{id}/adjustments */
export const handler = endpoint(route, adjustMoney, { plans });
