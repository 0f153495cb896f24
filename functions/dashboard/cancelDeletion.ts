import { cancelDeletion as route } from '../../contract/accounts/deletion.ts';
import { cancelDeletion } from '../../domain/processes/account-data/deletion.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** DELETE /dashboard/v1/account/deletion */
export const handler = endpoint(route, cancelDeletion);
