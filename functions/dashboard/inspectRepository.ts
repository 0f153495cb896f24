import { inspectRepository as route } from '../../contract/apps/repository-inspection.ts';
import { inspectRepository } from '../../domain/apps/repository-inspection.ts';
import { openRemote } from '../../runtime/bindings/repositories.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /dashboard/v1/repositories */
export const handler = endpoint(route, inspectRepository, { openRemote });
