import { Link } from 'wouter';
import { useMe } from '../api/use-me.ts';
import { Icon } from '../ui/Icon.tsx';

/** The link to the notifications, with the number of unread ones. */
export function NotificationBell() {
  const me = useMe();
  const unread = me.data?.data.unreadNotifications ?? 0;
  const label = unread === 0 ? 'Notifications' : `Notifications, ${unread} unread`;
  return (
    <Link href="/settings/notifications" className="header-button notification-bell" aria-label={label} title={label}>
      <Icon name="bell" />
      {unread > 0 && <span aria-hidden="true">{unread}</span>}
    </Link>
  );
}
