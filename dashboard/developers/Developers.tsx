import { Route, Switch } from 'wouter';
import { ApiKeys } from '../accounts/ApiKeys.tsx';
import { AuditLog } from '../accounts/AuditLog.tsx';
import { Limits } from '../accounts/Limits.tsx';
import { NavTabs } from '../ui/NavTabs.tsx';
import { Screen } from '../ui/Screen.tsx';
import { ExternalLink } from '../ui/TextLink.tsx';
import { EndpointScreen } from '../webhooks/EndpointScreen.tsx';
import { Endpoints } from '../webhooks/Endpoints.tsx';

const TABS = [
  { href: '/developers', name: 'API keys', render: () => <ApiKeys /> },
  { href: '/developers/webhooks', name: 'Webhooks', render: () => <Endpoints /> },
  { href: '/developers/limits', name: 'Limits', render: () => <Limits /> },
  { href: '/developers/audit', name: 'Audit log', render: () => <AuditLog /> },
];

/** Routes of the developers area: API keys, webhooks, limits and the audit log. */
export default function Developers() {
  return (
    <Switch>
      <Route path="/developers/webhooks/:id">{({ id }) => <EndpointScreen key={id} id={id} />}</Route>
      <Route>
        <Screen title="Developers" actions={<ExternalLink href="/docs">API reference</ExternalLink>}>
          <NavTabs tabs={TABS} name="Developers" />
        </Screen>
      </Route>
    </Switch>
  );
}
