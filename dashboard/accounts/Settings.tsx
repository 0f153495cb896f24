import { NavTabs } from '../ui/NavTabs.tsx';
import { Screen } from '../ui/Screen.tsx';
import { Members } from './Members.tsx';

const TABS = [{ href: '/settings', name: 'Members', render: () => <Members /> }];

/** Routes of the account's settings. */
export default function Settings() {
  return (
    <Screen title="Settings">
      <NavTabs tabs={TABS} name="Settings" />
    </Screen>
  );
}
