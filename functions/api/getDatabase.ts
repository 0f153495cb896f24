import { getDatabase as route } from '../../contract/databases/databases.ts';
import { getDatabase } from '../../domain/databases/databases.ts';
import { databaseMetrics } from '../../runtime/bindings/database-metrics.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /v1/databases/{id} */
export const handler = endpoint(route, getDatabase, { databaseMetrics });
