import { NavTabs } from '../ui/NavTabs.tsx';
import { Screen } from '../ui/Screen.tsx';
import { ExternalLink } from '../ui/TextLink.tsx';
import { CreditsTab } from './CreditsTab.tsx';
import { Playground } from './Playground.tsx';
import { ProviderKeys } from './ProviderKeys.tsx';
import { RequestLog } from './RequestLog.tsx';

const TABS = [
  { href: '/ai', name: 'Credits', render: () => <CreditsTab /> },
  { href: '/ai/requests', name: 'Requests', render: () => <RequestLog /> },
  { href: '/ai/providers', name: 'Provider keys', render: () => <ProviderKeys /> },
  { href: '/ai/playground', name: 'Playground', render: () => <Playground /> },
];

/** The AI area: credits, request log, provider keys and playground. */
export default function Ai() {
  return (
    <Screen title="AI" actions={<ExternalLink href="/docs">API reference</ExternalLink>}>
      <NavTabs tabs={TABS} name="AI" />
    </Screen>
  );
}
