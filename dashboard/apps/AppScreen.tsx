import { Databases } from '../databases/Databases.tsx';
import { Deployments } from '../deployments/Deployments.tsx';
import { type PlaceTab, PlaceTabs } from '../ui/NavTabs.tsx';
import { Loaded } from '../ui/QueryBoundary.tsx';
import { Screen } from '../ui/Screen.tsx';
import { Status } from '../ui/Status.tsx';
import { OutLink } from '../ui/TextLink.tsx';
import { AppSettings } from './AppSettings.tsx';
import { type Application, addressOf, useApp } from './api.ts';
import { DeployButton } from './DeployButton.tsx';
import { GitAccess } from './GitAccess.tsx';
import { OwnDomain } from './OwnDomain.tsx';
import { RunLogs } from './RunLogs.tsx';
import { Variables } from './Variables.tsx';

const tabsOf = (app: Application): readonly PlaceTab[] => {
  const home = `/apps/${app.id}`;
  return [
    { href: home, name: 'Deployments', show: () => <Deployments app={app} /> },
    { href: `${home}/logs`, name: 'Logs', show: () => <RunLogs app={app} /> },
    { href: `${home}/env`, name: 'Variables', show: () => <Variables app={app} /> },
    { href: `${home}/domain`, name: 'Domain', show: () => <OwnDomain app={app} /> },
    { href: `${home}/git`, name: 'Git', show: () => <GitAccess app={app} /> },
    { href: `${home}/databases`, name: 'Databases', show: () => <Databases app={app} /> },
    { href: `${home}/settings`, name: 'Settings', show: () => <AppSettings key={app.updatedAt} app={app} /> },
  ];
};

/** One application, in tabs; the address says which. */
export function AppScreen({ id }: { id: string }) {
  const app = useApp(id);
  const found = app.data?.data;
  const back = { href: '/apps', name: 'Applications' };
  return (
    <Screen
      title={found?.name ?? 'Application'}
      back={back}
      id={found?.id}
      beside={found && <Status of={found.status} />}
      actions={found && <DeployButton app={found} />}
    >
      <Loaded query={app} lines={5}>
        {({ data }) => (
          <>
            <div>
              <OutLink href={addressOf(data)}>{addressOf(data)}</OutLink>
            </div>
            <PlaceTabs tabs={tabsOf(data)} name={data.name} />
          </>
        )}
      </Loaded>
    </Screen>
  );
}
