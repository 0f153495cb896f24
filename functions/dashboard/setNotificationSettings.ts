import { setNotificationSettings as route } from '../../contract/accounts/notifications.ts';
import { setNotificationSettings } from '../../domain/accounts/notifications.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** PUT /dashboard/v1/notifications/settings */
export const handler = endpoint(route, setNotificationSettings);
