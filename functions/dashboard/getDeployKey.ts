import { getDeployKey as route } from '../../contract/apps/git-access.ts';
import { getDeployKey } from '../../domain/apps/git-access.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /dashboard/v1/apps/{id}/deploy-key */
export const handler = endpoint(route, getDeployKey);
