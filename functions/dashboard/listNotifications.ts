import { listNotifications as route } from '../../contract/accounts/notifications.ts';
import { listNotifications } from '../../domain/accounts/notifications.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /dashboard/v1/notifications */
export const handler = endpoint(route, listNotifications);
