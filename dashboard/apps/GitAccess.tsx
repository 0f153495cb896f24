import { Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useRefusal } from '../api/rights.ts';
import { ActionButton } from '../ui/ActionButton.tsx';
import { ConfirmButton } from '../ui/ConfirmButton.tsx';
import { CopyText } from '../ui/CopyText.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import {
  type Application,
  useDeployKey,
  useGitHook,
  useRotateDeployKey,
  useRotateGitHook,
  useUpdateApp,
} from './api.ts';

/** Push webhook and deploy key of an application's repository. */
export const GitAccess = ({ app }: { app: Application }) => (
  <Stack gap="xl">
    <PushHook app={app} />
    <DeployKey app={app} />
  </Stack>
);

function PushHook({ app }: { app: Application }) {
  const isAllowed = useRefusal() === undefined;
  const hook = useGitHook(app.id, { enabled: isAllowed });
  const update = useUpdateApp();
  const rotate = useRotateGitHook();
  const [shown, setShown] = useState(false);
  const rotateSecret = async () => {
    await rotate.mutateAsync({ params: { id: app.id } });
    await hook.refetch();
    setShown(true);
  };
  const enable = () => update.mutateAsync({ params: { id: app.id }, body: { autoDeploy: true } });
  return (
    <Section
      title="Deploy on push"
      description="Add a push webhook with this URL and secret at GitHub, GitLab or Bitbucket to deploy every push to the branch."
    >
      {!app.autoDeploy && (
        <Group gap="sm">
          <Text size="sm">Auto-deploy is off.</Text>
          <ActionButton size="xs" action={enable}>
            Turn on auto-deploy
          </ActionButton>
        </Group>
      )}
      {isAllowed && (
        <QueryBoundary query={hook} lines={4}>
          {({ data }) => (
            <Stack className="card" p="md" gap="sm">
              <Text size="sm" fw={600}>
                Webhook URL
              </Text>
              <CopyText name="the webhook URL" text={data.url} />
              <Text size="sm" fw={600}>
                Secret
              </Text>
              {shown && <CopyText name="the webhook secret" text={data.secret} />}
              <Group gap="xs">
                {!shown && (
                  <ActionButton size="xs" action={async () => setShown(true)}>
                    Show secret
                  </ActionButton>
                )}
                <ConfirmButton
                  label="Rotate secret"
                  question="Rotate the webhook secret?"
                  size="xs"
                  onConfirm={rotateSecret}
                >
                  Pushes signed with the current secret are rejected immediately. Update the webhook at your Git host
                  right away, and deploy pushes that arrive in between manually.
                </ConfirmButton>
              </Group>
            </Stack>
          )}
        </QueryBoundary>
      )}
    </Section>
  );
}

function DeployKey({ app }: { app: Application }) {
  const key = useDeployKey(app.id);
  const rotate = useRotateDeployKey();
  const rotateKey = async () => {
    await rotate.mutateAsync({ params: { id: app.id } });
    await key.refetch();
  };
  return (
    <Section
      title="Deploy key"
      description="For private repositories with a git@ URL: add this public key to the repository, with read access."
    >
      <QueryBoundary query={key} lines={1}>
        {({ data }) => (
          <Stack className="card" p="md" gap="sm">
            <CopyText name="the deploy key" text={data.publicKey} />
            <div>
              <ConfirmButton label="Rotate key" question="Rotate the deploy key?" size="xs" onConfirm={rotateKey}>
                The current key is deleted immediately. Deployments from a private repository fail until you add the new
                key to the repository. Remove the old key from it too.
              </ConfirmButton>
            </div>
          </Stack>
        )}
      </QueryBoundary>
    </Section>
  );
}
