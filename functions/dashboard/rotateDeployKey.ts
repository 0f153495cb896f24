import { rotateDeployKey as route } from '../../contract/apps/git-access.ts';
import { rotateDeployKey } from '../../domain/apps/git-access.ts';
import { secrets } from '../../runtime/bindings/secrets.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /dashboard/v1/apps/{id}/deploy-key/rotate */
export const handler = endpoint(route, rotateDeployKey, { secrets });
