import { Route, Switch } from 'wouter';
import { NavTabs } from '../ui/NavTabs.tsx';
import { Screen } from '../ui/Screen.tsx';
import { AccountScreen } from './AccountScreen.tsx';
import { FailureList } from './FailureList.tsx';
import { FindAccount } from './FindAccount.tsx';
import { Flags } from './Flags.tsx';
import { Migrations } from './Migrations.tsx';
import { OperatorLog } from './OperatorLog.tsx';
import { Switches } from './Switches.tsx';

const TABS = [
  { href: '/operator', name: 'Accounts', render: () => <FindAccount /> },
  { href: '/operator/switches', name: 'Switches', render: () => <Switches /> },
  { href: '/operator/flags', name: 'Flags', render: () => <Flags /> },
  { href: '/operator/failures', name: 'Failures', render: () => <FailureList /> },
  { href: '/operator/migrations', name: 'Migrations', render: () => <Migrations /> },
  { href: '/operator/audit', name: 'Audit log', render: () => <OperatorLog title="What operators did" /> },
];

/** Routes of the operators' area: accounts, switches, flags, failures, migrations and the operators' audit log. */
export default function Operator() {
  return (
    <Switch>
      <Route path="/operator/accounts/:id">{({ id }) => <AccountScreen key={id} id={id} />}</Route>
      <Route>
        <Screen title="Operators">
          <NavTabs tabs={TABS} name="Operators" />
        </Screen>
      </Route>
    </Switch>
  );
}
