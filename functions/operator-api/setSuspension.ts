import { setSuspension as route } from '../../contract/operator/actions.ts';
import { setSuspension } from '../../domain/operator/suspensions.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** PUT /operator/v1/accounts/{id}/suspension */
export const handler = endpoint(route, setSuspension);
