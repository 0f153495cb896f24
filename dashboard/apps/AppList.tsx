import { Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Empty } from '../ui/EmptyState.tsx';
import { Loaded } from '../ui/QueryBoundary.tsx';
import { Screen } from '../ui/Screen.tsx';
import { ShowMore } from '../ui/ShowMore.tsx';
import { Status } from '../ui/Status.tsx';
import { ButtonLink } from '../ui/TextLink.tsx';
import { When } from '../ui/TimeAgo.tsx';
import { type Application, useApps } from './api.ts';
import { FRAMEWORK_WORDS } from './words.ts';

const NewButton = () => <ButtonLink href="/apps/new">New application</ButtonLink>;

/** All applications. */
export function AppList() {
  const apps = useApps();
  return (
    <Screen title="Applications" actions={<NewButton />}>
      <Loaded query={apps}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No applications yet" action={<NewButton />}>
              Give the address of a Git repository; it is built and served at an address of its own.
            </Empty>
          ) : (
            <AppRows apps={data} />
          )
        }
      </Loaded>
      <ShowMore of={apps} />
    </Screen>
  );
}

export const AppRows = ({ apps }: { apps: readonly Application[] }) => (
  <div className="card">
    {apps.map((app) => (
      <Link key={app.id} href={`/apps/${app.id}`} className="row">
        <Group justify="space-between" gap="xs">
          <div>
            <Text fw={600} className="break">
              {app.name}
            </Text>
            <Text size="sm" c="dimmed" className="break">
              {app.primaryDomain} · {FRAMEWORK_WORDS[app.framework]} · {app.branch}
            </Text>
          </div>
          <Group gap="sm">
            <Text size="sm" c="dimmed">
              created <When at={app.createdAt} />
            </Text>
            <Status of={app.status} />
          </Group>
        </Group>
      </Link>
    ))}
  </div>
);
