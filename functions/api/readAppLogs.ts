import { readAppLogs as route } from '../../contract/apps/logs.ts';
import { readAppLogs } from '../../domain/apps/logs.ts';
import { appLogs } from '../../runtime/bindings/app-logs.ts';
import { cellsWith } from '../../runtime/cells.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /v1/apps/{id}/logs */
export const handler = endpoint(route, readAppLogs, { cellOf: cellsWith({ appLogs }) });
