import { getDeployment as route } from '../../contract/deployments/deployments.ts';
import { getDeployment } from '../../domain/deployments/deployments.ts';
import { builds } from '../../runtime/bindings/builds.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /v1/deployments/{id} */
export const handler = endpoint(route, getDeployment, { builds });
