import { Route, Switch } from 'wouter';
import { HostingList } from './HostingList.tsx';
import { HostingScreen } from './HostingScreen.tsx';

/** Routes of the hosting area. */
export default function Hosting() {
  return (
    <Switch>
      <Route path="/hosting/:id">{({ id }) => <HostingScreen key={id} id={id} />}</Route>
      <Route component={HostingList} />
    </Switch>
  );
}
