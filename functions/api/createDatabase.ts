import { createDatabase as route } from '../../contract/databases/databases.ts';
import { createDatabase } from '../../domain/databases/databases.ts';
import { required } from '../../runtime/config.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /v1/databases */
export const handler = endpoint(route, createDatabase, { databaseRegion: required('DATABASE_REGION') });
