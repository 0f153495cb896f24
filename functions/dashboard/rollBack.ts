import { rollBack as route } from '../../contract/deployments/rollback.ts';
import { rollBack } from '../../domain/deployments/rollback.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /dashboard/v1/apps/{id}/rollback */
export const handler = endpoint(route, rollBack);
