import { setSwitch as route } from '../../contract/operator/switches.ts';
import { setSwitch } from '../../domain/operator/switches.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** PUT /operator/v1/switches/{name} */
export const handler = endpoint(route, setSwitch);
