import { Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { EmptyState } from '../ui/EmptyState.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { ShowMore } from '../ui/ShowMore.tsx';
import { Status } from '../ui/Status.tsx';
import { TimeAgo } from '../ui/TimeAgo.tsx';
import { type Deployment, useDeployments } from './api.ts';
import { DeploymentStatus } from './DeploymentStatus.tsx';
import { Duration } from './Duration.tsx';
import { TRIGGER_LABELS } from './labels.ts';

interface DeploymentsProps {
  appId: string;
  liveId: string | null;
  hasRepository: boolean;
}

/** An application's deployments, newest first. */
export function Deployments({ appId, liveId, hasRepository }: DeploymentsProps) {
  const deployments = useDeployments(appId);
  return (
    <Stack>
      <QueryBoundary query={deployments}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No deployments yet">
              {!hasRepository
                ? 'This application has no Git repository. Create an application with a repository to deploy.'
                : 'Deploy the branch with the Deploy button above.'}
            </EmptyState>
          ) : (
            <div className="card">
              {data.map((deployment) => (
                <DeploymentRow key={deployment.id} deployment={deployment} isLive={deployment.id === liveId} />
              ))}
            </div>
          )
        }
      </QueryBoundary>
      <ShowMore list={deployments} />
    </Stack>
  );
}

const DeploymentRow = ({ deployment, isLive }: { deployment: Deployment; isLive: boolean }) => (
  <Link href={`/apps/${deployment.applicationId}/deployments/${deployment.id}`} className="row">
    <Group justify="space-between" gap="xs">
      <Group gap="sm">
        <DeploymentStatus value={deployment.status} />
        <code>{deployment.commitSha || '…'}</code>
        <Text size="sm">{TRIGGER_LABELS[deployment.trigger]}</Text>
        {isLive && <Status value="LIVE" />}
      </Group>
      <Text size="sm" c="dimmed">
        <TimeAgo at={deployment.startedAt} /> · <Duration deployment={deployment} />
      </Text>
    </Group>
  </Link>
);
