import { Group, Text } from '@mantine/core';
import { Empty } from '../ui/Empty.tsx';
import { Loaded } from '../ui/Loaded.tsx';
import { Log } from '../ui/Log.tsx';
import { Screen } from '../ui/Screen.tsx';
import { OutLink } from '../ui/TextLink.tsx';
import { When } from '../ui/When.tsx';
import { type Application, addressOf, type Deployment, isUnderWay, useApp, useDeployment } from './api.ts';
import { DeploymentStatus } from './DeploymentStatus.tsx';
import { RollBack } from './RollBack.tsx';
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
      actions={deployment?.status === 'SUCCEEDED' && !serves && <RollBack deployment={deployment} />}
    >
      <Loaded query={deployments} lines={1}>
        {() =>
          deployment ? <About app={app} deployment={deployment} /> : <Empty title="There is no such deployment" />
        }
      </Loaded>
      <BuildLog id={deploymentId} live={!deployment || isUnderWay(deployment)} />
    </Screen>
  );
}

const About = ({ app, deployment }: { app: Application | undefined; deployment: Deployment }) => (
  <Group gap="md">
    <Text size="sm">
      {TRIGGER_WORDS[deployment.trigger]}, <When at={deployment.startedAt} />
    </Text>
    {deployment.commitSha && (
      <Text size="sm">
        commit <code>{deployment.commitSha}</code>
      </Text>
    )}
    {app && deployment.status === 'SUCCEEDED' && <OutLink href={addressOf(app)}>{addressOf(app)}</OutLink>}
  </Group>
);

function BuildLog({ id, live }: { id: string; live: boolean }) {
  return (
    <Loaded query={useBuildLog(id, live)} lines={6}>
      {(lines) => <Log name="Build log" text={lines.map(({ text }) => text).join('\n')} live={live} />}
    </Loaded>
  );
}
