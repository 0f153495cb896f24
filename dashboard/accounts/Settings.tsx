import { NavTabs } from '../ui/NavTabs.tsx';
import { Screen } from '../ui/Screen.tsx';
import { AccountData } from './AccountData.tsx';
import { Members } from './Members.tsx';
import { Notifications } from './Notifications.tsx';

const TABS = [
  { href: '/settings', name: 'Members', render: () => <Members /> },
  { href: '/settings/data', name: 'Data', render: () => <AccountData /> },
  { href: '/settings/notifications', name: 'Notifications', render: () => <Notifications /> },
];

/** Routes of the account's settings. */
export default function Settings() {
  return (
    <Screen title="Settings">
      <NavTabs tabs={TABS} name="Settings" />
    </Screen>
  );
}
