import { deleteDatabase as route } from '../../contract/databases/databases.ts';
import { deleteDatabase } from '../../domain/databases/databases.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** DELETE /v1/databases/{id} */
export const handler = endpoint(route, deleteDatabase);
