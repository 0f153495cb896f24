import { listDeployments as route } from '../../contract/deployments/deployments.ts';
import { listDeployments } from '../../domain/deployments/deployments.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /v1/apps/{id}/deployments */
export const handler = endpoint(route, listDeployments);
