import { getAppMetrics as route } from '../../contract/apps/metrics.ts';
import { readMetrics } from '../../domain/apps/metrics.ts';
import { appMetrics } from '../../runtime/bindings/app-metrics.ts';
import { cellsWith } from '../../runtime/cells.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /dashboard/v1/apps/{id}/metrics */
export const handler = endpoint(route, readMetrics, { cellOf: cellsWith({ appMetrics }) });
