import { listDatabases as route } from '../../contract/databases/databases.ts';
import { listDatabases } from '../../domain/databases/databases.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /v1/databases */
export const handler = endpoint(route, listDatabases);
