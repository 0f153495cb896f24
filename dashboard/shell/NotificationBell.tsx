import { Link } from 'wouter';
import { getMe } from '../../contract/accounts/me.ts';
import { useApiQuery } from '../api/use-api-query.ts';
import { Icon } from '../ui/Icon.tsx';

/** The link to the notifications, with the number of unread ones. */
export function NotificationBell() {
  const me = useApiQuery(getMe);
  const unread = me.data?.data.unreadNotifications ?? 0;
  const label = unread === 0 ? 'Notifications' : `Notifications, ${unread} unread`;
  return (
    <Link href="/settings/notifications" className="header-button notification-bell" aria-label={label} title={label}>
      <Icon name="bell" />
      {unread > 0 && <span aria-hidden="true">{unread}</span>}
    </Link>
  );
}
