import { listExports as route } from '../../contract/accounts/export.ts';
import { listExports } from '../../domain/processes/account-data/exports.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /dashboard/v1/account/export */
export const handler = endpoint(route, listExports);
