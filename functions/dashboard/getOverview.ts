import { getOverview as route } from '../../contract/accounts/overview.ts';
import { readOverview } from '../../domain/processes/overview.ts';
import { batchDeps } from '../../runtime/batch-deps.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /dashboard/v1/overview. One batch read fetches the single items. */
export const handler = endpoint(route, readOverview, { table: batchDeps.table });
