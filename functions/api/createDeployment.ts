import { createDeployment as route } from '../../contract/deployments/deployments.ts';
import { createDeployment } from '../../domain/deployments/create.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /v1/apps/{id}/deployments */
export const handler = endpoint(route, createDeployment);
