import { Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ActButton } from '../ui/ActionButton.tsx';
import { Confirm } from '../ui/ConfirmButton.tsx';
import { CopyText } from '../ui/CopyText.tsx';
import { Loaded } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import {
  type Application,
  useDeployKey,
  useGitHook,
  useRotateDeployKey,
  useRotateGitHook,
  useUpdateApp,
} from './api.ts';

/** How the repository tells of pushes, and how builds get at a private one. */
export const GitAccess = ({ app }: { app: Application }) => (
  <Stack gap="xl">
    <PushHook app={app} />
    <DeployKey app={app} />
  </Stack>
);

function PushHook({ app }: { app: Application }) {
  const hook = useGitHook(app.id);
  const update = useUpdateApp();
  const rotate = useRotateGitHook();
  const [shown, setShown] = useState(false);
  const renew = async () => {
    await rotate.mutateAsync({ params: { id: app.id } });
    await hook.refetch();
    setShown(true);
  };
  const enable = () => update.mutateAsync({ params: { id: app.id }, body: { autoDeploy: true } });
  return (
    <Section
      title="Deploy on push"
      about="Give this address and secret to a push webhook at GitHub, GitLab or Bitbucket; every push to the branch is then deployed."
    >
      {!app.autoDeploy && (
        <Group gap="sm">
          <Text size="sm">Pushes are ignored at the moment.</Text>
          <ActButton size="xs" act={enable}>
            Deploy on every push
          </ActButton>
        </Group>
      )}
      <Loaded query={hook} lines={1}>
        {({ data }) => (
          <Stack className="card" p="md" gap="sm">
            <Text size="sm" fw={600}>
              Address
            </Text>
            <CopyText name="the hook's address" text={data.url} />
            <Text size="sm" fw={600}>
              Secret
            </Text>
            {shown && <CopyText name="the hook's secret" text={data.secret} />}
            <Group gap="xs">
              {!shown && (
                <ActButton size="xs" act={async () => setShown(true)}>
                  Show the secret
                </ActButton>
              )}
              <Confirm label="New secret" question="A new secret for the hook?" size="xs" act={renew}>
                Pushes signed with the one of now are refused at once: give the new one to your Git host right away.
                What was pushed in between can be deployed by hand.
              </Confirm>
            </Group>
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}

function DeployKey({ app }: { app: Application }) {
  const key = useDeployKey(app.id);
  const rotate = useRotateDeployKey();
  const renew = async () => {
    await rotate.mutateAsync({ params: { id: app.id } });
    await key.refetch();
  };
  return (
    <Section
      title="Deploy key"
      about="For a repository with a git@ address: add this public key to it, for reading alone."
    >
      <Loaded query={key} lines={1}>
        {({ data }) => (
          <Stack className="card" p="md" gap="sm">
            <CopyText name="the deploy key" text={data.publicKey} />
            <div>
              <Confirm label="New key" question="A new deploy key?" size="xs" act={renew}>
                The one of now is forgotten at once: deployments from a private repository fail until the new one is
                added to it. Take the old one out there.
              </Confirm>
            </div>
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}
