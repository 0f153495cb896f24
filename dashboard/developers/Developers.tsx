import { Route, Switch } from 'wouter';
import { Keys } from '../accounts/ApiKeys.tsx';
import { PlaceTabs } from '../ui/NavTabs.tsx';
import { Screen } from '../ui/Screen.tsx';
import { OutLink } from '../ui/TextLink.tsx';
import { EndpointScreen } from '../webhooks/EndpointScreen.tsx';
import { Endpoints } from '../webhooks/Endpoints.tsx';

const TABS = [
  { href: '/developers', name: 'API keys', show: () => <Keys /> },
  { href: '/developers/webhooks', name: 'Webhooks', show: () => <Endpoints /> },
];

/** What programs need: keys, and where events are sent. */
export default function Developers() {
  return (
    <Switch>
      <Route path="/developers/webhooks/:id">{({ id }) => <EndpointScreen key={id} id={id} />}</Route>
      <Route>
        <Screen title="Developers" actions={<OutLink href="/docs">API reference</OutLink>}>
          <PlaceTabs tabs={TABS} name="Developers" />
        </Screen>
      </Route>
    </Switch>
  );
}
