import { Route, Switch } from 'wouter';
import { isFirstAttempt } from '../api/query-client.ts';
import { DeploymentScreen } from '../deployments/DeploymentScreen.tsx';
import { NotFound } from '../ui/NotFound.tsx';
import { AppList } from './AppList.tsx';
import { AppScreen } from './AppScreen.tsx';
import { appUrl, isDeployable, useApp } from './api.ts';
import { NewApp } from './NewApp.tsx';

/** Routes of the applications area. */
export default function Apps() {
  return (
    <Switch>
      <Route path="/apps" component={AppList} />
      <Route path="/apps/new" component={NewApp} />
      <Route path="/apps/:id/deployments/:deploymentId">
        {({ id, deploymentId }) => <AppDeployment key={deploymentId} appId={id} deploymentId={deploymentId} />}
      </Route>
      <Route path="/apps/:id/:tab?">{({ id }) => <AppScreen key={id} id={id} />}</Route>
      <Route component={NotFound} />
    </Switch>
  );
}

/** One deployment of an application. */
function AppDeployment({ appId, deploymentId }: { appId: string; deploymentId: string }) {
  const query = useApp(appId);
  const app = query.data?.data;
  return (
    <DeploymentScreen
      appId={appId}
      app={
        app && {
          name: app.name,
          url: appUrl(app),
          isDeployable: isDeployable(app),
          liveDeploymentId: app.liveDeploymentId,
          activeDeploymentId: app.activeDeploymentId,
        }
      }
      isAppLoading={isFirstAttempt(query)}
      deploymentId={deploymentId}
    />
  );
}
