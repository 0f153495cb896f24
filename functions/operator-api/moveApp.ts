import { moveApp as route } from '../../contract/operator/cells.ts';
import { moveApp } from '../../domain/operator/moves.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /operator/v1/accounts/{id}/apps/{applicationId}/move */
export const handler = endpoint(route, moveApp);
