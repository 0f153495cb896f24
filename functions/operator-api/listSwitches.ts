import { listSwitches as route } from '../../contract/operator/switches.ts';
import { listSwitches } from '../../domain/operator/switches.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /operator/v1/switches */
export const handler = endpoint(route, listSwitches);
