import { Route, Switch } from 'wouter';
import { NotFound } from '../shell/NotFound.tsx';
import { AppList } from './AppList.tsx';
import { AppScreen } from './AppScreen.tsx';
import { DeploymentScreen } from './DeploymentScreen.tsx';
import { NewApp } from './NewApp.tsx';

/** Applications: the list, a new one, one with its tabs, one deployment. */
export default function Apps() {
  return (
    <Switch>
      <Route path="/apps" component={AppList} />
      <Route path="/apps/new" component={NewApp} />
      <Route path="/apps/:id/deployments/:deploymentId">
        {({ id, deploymentId }) => <DeploymentScreen key={deploymentId} id={id} deploymentId={deploymentId} />}
      </Route>
      <Route path="/apps/:id/:tab?">{({ id }) => <AppScreen key={id} id={id} />}</Route>
      <Route component={NotFound} />
    </Switch>
  );
}
