import { setFlag as route } from '../../contract/operator/flags.ts';
import { setFlag } from '../../domain/operator/flags.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** PUT /operator/v1/flags/{name} */
export const handler = endpoint(route, setFlag);
