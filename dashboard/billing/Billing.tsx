import { Route, Switch } from 'wouter';
import { NavTabs } from '../ui/NavTabs.tsx';
import { Screen } from '../ui/Screen.tsx';
import { InvoiceScreen } from './InvoiceScreen.tsx';
import { Invoices } from './Invoices.tsx';
import { Plans } from './Plans.tsx';
import { SpendingTab } from './SpendingTab.tsx';
import { WalletTab } from './WalletTab.tsx';

const TABS = [
  { href: '/billing', name: 'Wallet', render: () => <WalletTab /> },
  { href: '/billing/spending', name: 'Spending', render: () => <SpendingTab /> },
  { href: '/billing/invoices', name: 'Invoices', render: () => <Invoices /> },
  { href: '/billing/plans', name: 'Plans', render: () => <Plans /> },
];

/** Routes of the billing area: wallet, spending, invoices and plans. */
export default function Billing() {
  return (
    <Switch>
      <Route path="/billing/invoices/:id">{({ id }) => <InvoiceScreen key={id} id={id} />}</Route>
      <Route>
        <Screen title="Billing">
          <NavTabs tabs={TABS} name="Billing" />
        </Screen>
      </Route>
    </Switch>
  );
}
