import { readFailures as route } from '../../contract/operator/failures.ts';
import { readFailures } from '../../domain/operator/failures.ts';
import { failureQueues } from '../../runtime/bindings/failures.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /operator/v1/failures/{name} */
export const handler = endpoint(route, readFailures, { failureQueues });
