import { listKeys as route } from '../../contract/accounts/api-keys.ts';
import { listKeys } from '../../domain/accounts/api-keys.ts';
import { batchDeps } from '../../runtime/batch-deps.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /dashboard/v1/keys. One batch read fetches the last use of all keys. */
export const handler = endpoint(route, listKeys, { table: batchDeps.table });
