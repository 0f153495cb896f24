import { Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { TimeAgo } from '../ui/TimeAgo.tsx';
import { AppStatus } from './AppStatus.tsx';
import { type Application, servingDomain } from './api.ts';
import { FRAMEWORK_LABELS } from './labels.ts';

/** Applications as links, each with its status. */
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
