import { Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { EmptyState } from '../ui/EmptyState.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Screen } from '../ui/Screen.tsx';
import { ShowMore } from '../ui/ShowMore.tsx';
import { ButtonLink } from '../ui/TextLink.tsx';
import { TimeAgo } from '../ui/TimeAgo.tsx';
import { AppStatus } from './AppStatus.tsx';
import { type Application, servingDomain, useApps } from './api.ts';
import { FRAMEWORK_LABELS } from './labels.ts';

const NewAppButton = () => <ButtonLink href="/apps/new">New application</ButtonLink>;

/** List of all applications. */
export function AppList() {
  const apps = useApps();
  return (
    <Screen title="Applications" actions={<NewAppButton />}>
      <QueryBoundary query={apps}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No applications yet" action={<NewAppButton />}>
              Connect a Git repository to build it and serve it at its own URL.
            </EmptyState>
          ) : (
            <AppRows apps={data} />
          )
        }
      </QueryBoundary>
      <ShowMore list={apps} />
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
              {servingDomain(app)} · {FRAMEWORK_LABELS[app.framework]} · {app.branch}
            </Text>
          </div>
          <Group gap="sm">
            <Text size="sm" c="dimmed">
              created <TimeAgo at={app.createdAt} />
            </Text>
            <AppStatus app={app} />
          </Group>
        </Group>
      </Link>
    ))}
  </div>
);
