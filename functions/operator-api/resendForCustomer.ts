import { resendForCustomer as route } from '../../contract/operator/actions.ts';
import { resendForCustomer } from '../../domain/operator/actions.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /operator/v1/accounts/{id}/deliveries/{deliveryId}/resend */
export const handler = endpoint(route, resendForCustomer);
