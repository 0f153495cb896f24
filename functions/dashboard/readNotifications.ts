import { readNotifications as route } from '../../contract/accounts/notifications.ts';
import { readNotifications } from '../../domain/accounts/notifications.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /dashboard/v1/notifications/read */
export const handler = endpoint(route, readNotifications);
