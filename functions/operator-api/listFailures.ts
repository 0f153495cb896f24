import { listFailures as route } from '../../contract/operator/failures.ts';
import { listFailures } from '../../domain/operator/failures.ts';
import { failureQueues } from '../../runtime/bindings/failures.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';
import { logCountError } from '../../runtime/observability/failure-log.ts';

/** GET /operator/v1/failures */
export const handler = endpoint(route, listFailures, { failureQueues, onCountError: logCountError });
