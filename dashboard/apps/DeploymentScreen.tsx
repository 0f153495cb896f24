import { Group, Text } from '@mantine/core';
import { useState } from 'react';
import { Took } from '../deployments/Duration.tsx';
import { RollBack } from '../deployments/RollbackButton.tsx';
import { Empty } from '../ui/EmptyState.tsx';
import { Log } from '../ui/Log.tsx';
import { Loaded } from '../ui/QueryBoundary.tsx';
import { Screen } from '../ui/Screen.tsx';
import { OutLink } from '../ui/TextLink.tsx';
import { When } from '../ui/TimeAgo.tsx';
import { type Application, addressOf, type Deployment, isUnderWay, useApp, useDeployment } from './api.ts';
import { DeployButton } from './DeployButton.tsx';
import { DeploymentStatus } from './DeploymentStatus.tsx';
import { useBuildLog } from './use-log.ts';
import { TRIGGER_WORDS } from './words.ts';

/** One deployment with its log, which grows while the build runs. */
export function DeploymentScreen({ id, deploymentId }: { id: string; deploymentId: string }) {
  const { deployments, deployment, serves } = useDeployment(id, deploymentId);
  const app = useApp(id).data?.data;
  return (
    <Screen
      title="Deployment"
      back={{ href: `/apps/${id}`, name: app?.name ?? 'Application' }}
      beside={<span role="status">{deployment && <DeploymentStatus of={deployment.status} />}</span>}
      id={deployment?.id}
      actions={
        deployment &&
        !isUnderWay(deployment) && (
          <>
            {deployment.status === 'SUCCEEDED' && !serves && <RollBack deployment={deployment} />}
            {app && <DeployButton app={app} label="Deploy again" />}
          </>
        )
      }
    >
      <Loaded query={deployments} lines={1}>
        {() =>
          deployment ? (
            <About app={app} deployment={deployment} serves={serves} />
          ) : (
            <Empty title="There is no such deployment" />
          )
        }
      </Loaded>
      <BuildLog id={deploymentId} live={!deployment || isUnderWay(deployment)} />
    </Screen>
  );
}

interface AboutProps {
  app: Application | undefined;
  deployment: Deployment;
  serves: boolean;
}

const About = ({ app, deployment, serves }: AboutProps) => (
  <Group gap="md">
    <Text size="sm">
      {TRIGGER_WORDS[deployment.trigger]}, <When at={deployment.startedAt} />
    </Text>
    <Text size="sm">
      <Took deployment={deployment} />
    </Text>
    {deployment.commitSha && (
      <Text size="sm">
        commit <code>{deployment.commitSha}</code>
      </Text>
    )}
    {app && serves && <OutLink href={addressOf(app)}>{addressOf(app)}</OutLink>}
    {deployment.status === 'FAILED' && (
      <Text size="sm">Its log says why. What was released before goes on serving.</Text>
    )}
  </Group>
);

function BuildLog({ id, live }: { id: string; live: boolean }) {
  const [paused, setPaused] = useState(false);
  return (
    <Loaded query={useBuildLog(id, live, paused)} lines={6}>
      {(lines) => (
        <Log
          name="Build log"
          lines={lines.map(({ text }) => text)}
          live={live}
          paused={paused}
          pause={setPaused}
          fileName={`${id}.log`}
        />
      )}
    </Loaded>
  );
}
