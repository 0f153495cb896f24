import { cancelDeployment as route } from '../../contract/operator/actions.ts';
import { cancelDeployment } from '../../domain/operator/actions.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /operator/v1/accounts/{id}/deployments/{deploymentId}/cancel */
export const handler = endpoint(route, cancelDeployment);
