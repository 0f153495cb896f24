import { requestDeletion as route } from '../../contract/accounts/deletion.ts';
import { requestDeletion } from '../../domain/processes/account-data/deletion.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /dashboard/v1/account/deletion */
export const handler = endpoint(route, requestDeletion);
