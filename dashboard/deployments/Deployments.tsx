import { Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { type Application, type Deployment, useDeployments } from '../apps/api.ts';
import { DeploymentStatus } from '../apps/DeploymentStatus.tsx';
import { TRIGGER_WORDS } from '../apps/words.ts';
import { Empty } from '../ui/EmptyState.tsx';
import { Loaded } from '../ui/QueryBoundary.tsx';
import { ShowMore } from '../ui/ShowMore.tsx';
import { Status } from '../ui/Status.tsx';
import { When } from '../ui/TimeAgo.tsx';
import { Took } from './Duration.tsx';

/** An application's deployments, newest first. */
export function Deployments({ app }: { app: Application }) {
  const deployments = useDeployments(app.id);
  return (
    <Stack>
      <Loaded query={deployments}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="Nothing was deployed yet">
              {app.repoUrl === null
                ? 'This application has no Git repository. Create one with a repository to deploy it.'
                : 'Deploy the branch with the button above.'}
            </Empty>
          ) : (
            <div className="card">
              {data.map((deployment) => (
                <Row
                  key={deployment.id}
                  deployment={deployment}
                  serves={deployment === data.find(({ status }) => status === 'SUCCEEDED')}
                />
              ))}
            </div>
          )
        }
      </Loaded>
      <ShowMore of={deployments} />
    </Stack>
  );
}

const Row = ({ deployment, serves }: { deployment: Deployment; serves: boolean }) => (
  <Link href={`/apps/${deployment.applicationId}/deployments/${deployment.id}`} className="row">
    <Group justify="space-between" gap="xs">
      <Group gap="sm">
        <DeploymentStatus of={deployment.status} />
        <code>{deployment.commitSha || '…'}</code>
        <Text size="sm">{TRIGGER_WORDS[deployment.trigger]}</Text>
        {serves && <Status of="SERVING" tone="good" />}
      </Group>
      <Text size="sm" c="dimmed">
        <When at={deployment.startedAt} /> · <Took deployment={deployment} />
      </Text>
    </Group>
  </Link>
);
