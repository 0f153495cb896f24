import { getAppStarts as route } from '../../contract/apps/metrics.ts';
import { readStarts } from '../../domain/apps/metrics.ts';
import { appStarts } from '../../runtime/bindings/app-starts.ts';
import { cellsWith } from '../../runtime/cells.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /dashboard/v1/apps/{id}/starts */
export const handler = endpoint(route, readStarts, { cellOf: cellsWith({ appStarts }) });
