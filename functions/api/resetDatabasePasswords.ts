import { resetDatabasePasswords as route } from '../../contract/databases/databases.ts';
import { resetDatabasePasswords } from '../../domain/databases/passwords.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /v1/databases/{id}/reset-passwords */
export const handler = endpoint(route, resetDatabasePasswords);
