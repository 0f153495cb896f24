import { Route, Switch } from 'wouter';
import { PlaceTabs } from '../ui/NavTabs.tsx';
import { Screen } from '../ui/Screen.tsx';
import { InvoiceScreen } from './InvoiceScreen.tsx';
import { Invoices } from './Invoices.tsx';
import { Plans } from './Plans.tsx';
import { WalletTab } from './WalletTab.tsx';

const TABS = [
  { href: '/billing', name: 'Wallet', show: () => <WalletTab /> },
  { href: '/billing/invoices', name: 'Invoices', show: () => <Invoices /> },
  { href: '/billing/plans', name: 'Plans', show: () => <Plans /> },
];

/** Money: the wallet, the invoices, and what is subscribed to. */
export default function Billing() {
  return (
    <Switch>
      <Route path="/billing/invoices/:id">{({ id }) => <InvoiceScreen key={id} id={id} />}</Route>
      <Route>
        <Screen title="Billing">
          <PlaceTabs tabs={TABS} name="Billing" />
        </Screen>
      </Route>
    </Switch>
  );
}
