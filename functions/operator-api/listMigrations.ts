import { listMigrations as route } from '../../contract/operator/migrations.ts';
import { listMigrations } from '../../domain/operator/migrations.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /operator/v1/migrations */
export const handler = endpoint(route, listMigrations);
