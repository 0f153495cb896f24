import { readDeploymentLog as route } from '../../contract/deployments/deployments.ts';
import { readDeploymentLog } from '../../domain/deployments/deployments.ts';
import { builds } from '../../runtime/bindings/builds.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /v1/deployments/{id}/log */
export const handler = endpoint(route, readDeploymentLog, { builds });
