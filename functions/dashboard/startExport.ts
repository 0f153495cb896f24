import { startExport as route } from '../../contract/accounts/export.ts';
import { startExport } from '../../domain/processes/account-data/exports.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /dashboard/v1/account/export */
export const handler = endpoint(route, startExport);
