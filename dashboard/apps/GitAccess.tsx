import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ActButton } from '../ui/ActButton.tsx';
import { CopyText } from '../ui/CopyText.tsx';
import { Loaded } from '../ui/Loaded.tsx';
import { Section } from '../ui/Section.tsx';
import { type Application, useDeployKey, useGitHook, useUpdateApp } from './api.ts';

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
  const [shown, setShown] = useState(false);
  const enable = () => update.mutateAsync({ params: { id: app.id }, body: { autoDeploy: true } });
  return (
    <Section
      title="Deploy on push"
      about="Give this address and secret to a push webhook at GitHub, GitLab or Bitbucket; every push to the branch is then deployed."
    >
      {!app.autoDeploy && (
        <Text size="sm" component="div">
          Pushes are ignored at the moment.{' '}
          <ActButton size="xs" act={enable}>
            Deploy on every push
          </ActButton>
        </Text>
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
            {shown ? (
              <CopyText name="the hook's secret" text={data.secret} />
            ) : (
              <div>
                <ActButton size="xs" act={async () => setShown(true)}>
                  Show the secret
                </ActButton>
              </div>
            )}
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}

const DeployKey = ({ app }: { app: Application }) => (
  <Section
    title="Deploy key"
    about="For a repository with a git@ address: add this public key to it, for reading alone."
  >
    <Loaded query={useDeployKey(app.id)} lines={1}>
      {({ data }) => (
        <div className="card" style={{ padding: 'var(--mantine-spacing-md)' }}>
          <CopyText name="the deploy key" text={data.publicKey} />
        </div>
      )}
    </Loaded>
  </Section>
);
