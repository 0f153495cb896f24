import { discardFailures as route } from '../../contract/operator/failures.ts';
import { discardFailures } from '../../domain/operator/failures.ts';
import { failureQueues } from '../../runtime/bindings/failures.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /operator/v1/failures/{name}/discard */
export const handler = endpoint(route, discardFailures, { failureQueues });
