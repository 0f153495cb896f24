import { Route, Switch } from 'wouter';
import { DomainList } from './DomainList.tsx';
import { DomainScreen } from './DomainScreen.tsx';
import { OrderScreen } from './OrderScreen.tsx';

/** Routes of the domains area. */
export default function Domains() {
  return (
    <Switch>
      <Route path="/domains/order/:name">
        {({ name }) => <OrderScreen key={name} name={decodeURIComponent(name)} />}
      </Route>
      <Route path="/domains/:id">{({ id }) => <DomainScreen key={id} id={id} />}</Route>
      <Route component={DomainList} />
    </Switch>
  );
}
