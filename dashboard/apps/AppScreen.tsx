import { Route } from 'wouter';
import { CustomDomain } from '../custom-domains/CustomDomain.tsx';
import { Databases } from '../databases/Databases.tsx';
import { DeployButton } from '../deployments/DeployButton.tsx';
import { Deployments } from '../deployments/Deployments.tsx';
import { type NavTab, NavTabs } from '../ui/NavTabs.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Screen } from '../ui/Screen.tsx';
import { ExternalLink, TextLink } from '../ui/TextLink.tsx';
import { AppSettings } from './AppSettings.tsx';
import { AppStatus } from './AppStatus.tsx';
import { type Application, appUrl, isDeployable, toUrl, useApp } from './api.ts';
import { GitAccess } from './GitAccess.tsx';
import { Metrics, PrefetchMetrics } from './Metrics.tsx';
import { Requests } from './Requests.tsx';
import { RuntimeLogs } from './RuntimeLogs.tsx';
import { SuspensionAlert } from './SuspensionAlert.tsx';
import { Variables } from './Variables.tsx';

const tabsFor = (app: Application): readonly NavTab[] => {
  const home = `/apps/${app.id}`;
  return [
    {
      href: home,
      name: 'Deployments',
      render: () => <Deployments appId={app.id} liveId={app.liveDeploymentId} hasRepository={app.repoUrl !== null} />,
    },
    { href: `${home}/metrics`, name: 'Metrics', render: () => <Metrics app={app} /> },
    { href: `${home}/requests`, name: 'Requests', render: () => <Requests app={app} /> },
    { href: `${home}/logs`, name: 'Logs', render: () => <RuntimeLogs app={app} /> },
    { href: `${home}/env`, name: 'Variables', render: () => <Variables app={app} /> },
    {
      href: `${home}/domain`,
      name: 'Domain',
      render: () => <CustomDomain appId={app.id} defaultDomain={app.defaultDomain} />,
    },
    { href: `${home}/git`, name: 'Git', render: () => <GitAccess app={app} /> },
    { href: `${home}/databases`, name: 'Databases', render: () => <Databases appId={app.id} /> },
    { href: `${home}/settings`, name: 'Settings', render: () => <AppSettings app={app} /> },
  ];
};

/** The URLs of an application, the one for visitors first. */
const AppUrls = ({ app }: { app: Application }) => (
  <>
    <ExternalLink href={appUrl(app)}>{appUrl(app)}</ExternalLink>
    {app.customDomainStatus === 'VERIFIED' && (
      <ExternalLink href={toUrl(app.defaultDomain)}>{toUrl(app.defaultDomain)}</ExternalLink>
    )}
    {app.customDomainStatus === 'PENDING' && (
      <TextLink href={`/apps/${app.id}/domain`}>{app.primaryDomain} is not verified yet</TextLink>
    )}
  </>
);

/** One application with its tabs. */
export function AppScreen({ id }: { id: string }) {
  const app = useApp(id);
  const found = app.data?.data;
  return (
    <Screen
      title={found?.name ?? 'Application'}
      crumbs={[{ href: '/apps', name: 'Applications' }]}
      id={found?.id}
      beside={found && <AppStatus app={found} />}
      detail={found && <AppUrls app={found} />}
      actions={found && <DeployButton appId={found.id} disabled={!isDeployable(found)} />}
    >
      <Route path="/apps/:id/metrics">
        <PrefetchMetrics id={id} />
      </Route>
      <QueryBoundary query={app} lines={5}>
        {({ data }) => (
          <>
            <SuspensionAlert suspensions={data.suspensions} />
            <NavTabs tabs={tabsFor(data)} name={data.name} />
          </>
        )}
      </QueryBoundary>
    </Screen>
  );
}
