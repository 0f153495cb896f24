import { Group, Text } from '@mantine/core';
import { Loaded } from '../ui/Loaded.tsx';
import { Log } from '../ui/Log.tsx';
import { Screen } from '../ui/Screen.tsx';
import { OutLink } from '../ui/TextLink.tsx';
import { When } from '../ui/When.tsx';
import { addressOf, isUnderWay, useApp, useDeployment } from './api.ts';
import { DeploymentStatus } from './DeploymentStatus.tsx';
import { RollBack } from './RollBack.tsx';
import { TRIGGER_WORDS } from './words.ts';

/** One deployment with its log, which grows while the build runs. */
export function DeploymentScreen({ id, deploymentId }: { id: string; deploymentId: string }) {
  const deployment = useDeployment(deploymentId);
  const app = useApp(id).data?.data;
  return (
    <Screen
      title="Deployment"
      back={{ href: `/apps/${id}`, name: app?.name ?? 'Application' }}
      actions={deployment.data?.data.status === 'SUCCEEDED' && <RollBack deployment={deployment.data.data} />}
      beside={<span role="status">{deployment.data && <DeploymentStatus of={deployment.data.data.status} />}</span>}
    >
      <Loaded query={deployment} lines={6}>
        {({ data }) => (
          <>
            <Group gap="md">
              <Text size="sm">
                {TRIGGER_WORDS[data.trigger]}, <When at={data.startedAt} />
              </Text>
              {data.commitSha && (
                <Text size="sm">
                  commit <code>{data.commitSha}</code>
                </Text>
              )}
              {app && data.status === 'SUCCEEDED' && <OutLink href={addressOf(app)}>{addressOf(app)}</OutLink>}
            </Group>
            <Log name="Build log" text={data.log} live={isUnderWay(data)} />
          </>
        )}
      </Loaded>
    </Screen>
  );
}
