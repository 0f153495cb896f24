import { createDatabasePassword as route } from '../../contract/databases/databases.ts';
import { createDatabasePassword } from '../../domain/databases/passwords.ts';
import { databasePasswords } from '../../runtime/bindings/database-passwords.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /v1/databases/{id}/password */
export const handler = endpoint(route, createDatabasePassword, { databasePasswords });
