import { listKeys as route } from '../../contract/accounts/api-keys.ts';
import { listKeys } from '../../domain/accounts/api-keys.ts';
import { batchDeps } from '../../runtime/batch-deps.ts';
import { endpoint } from '../../runtime/endpoint.ts';

/** GET /dashboard/v1/keys: when each key was last used is one read for all */
export const handler = endpoint(route, listKeys, { table: batchDeps.table });
