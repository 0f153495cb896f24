import { listFlags as route } from '../../contract/operator/flags.ts';
import { listFlags } from '../../domain/operator/flags.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /operator/v1/flags */
export const handler = endpoint(route, listFlags);
