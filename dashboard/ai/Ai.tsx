import { PlaceTabs } from '../ui/NavTabs.tsx';
import { Screen } from '../ui/Screen.tsx';
import { OutLink } from '../ui/TextLink.tsx';
import { CreditsTab } from './CreditsTab.tsx';
import { Playground } from './Playground.tsx';
import { Providers } from './ProviderKeys.tsx';

const TABS = [
  { href: '/ai', name: 'Credits', show: () => <CreditsTab /> },
  { href: '/ai/providers', name: 'Provider keys', show: () => <Providers /> },
  { href: '/ai/playground', name: 'Playground', show: () => <Playground /> },
];

/** The AI gateway: what it costs, whose keys it uses, and a place to try it. */
export default function Ai() {
  return (
    <Screen title="AI" actions={<OutLink href="/docs">API reference</OutLink>}>
      <PlaceTabs tabs={TABS} name="AI" />
    </Screen>
  );
}
