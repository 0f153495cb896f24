import { Text } from '@mantine/core';
import { useLocation } from 'wouter';
import { ActionButton } from '../ui/ActionButton.tsx';
import { useDeploy } from './api.ts';

interface DeployButtonProps {
  appId: string;
  disabled: boolean;
  label?: string;
}

const REASON = 'Needs a Git repository, and an application that is not suspended.';

/** Starts a deployment of the branch and opens its screen. Says beside the button why it is disabled: touch shows no tooltips. */
export function DeployButton({ appId, disabled, label = 'Deploy' }: DeployButtonProps) {
  const deploy = useDeploy();
  const [, navigate] = useLocation();
  const startDeployment = async () => {
    const { data } = await deploy.mutateAsync({ params: { id: appId } });
    navigate(`/apps/${appId}/deployments/${data.id}`);
  };
  return (
    <>
      {disabled && (
        <Text size="sm" c="dimmed">
          {REASON}
        </Text>
      )}
      <ActionButton
        variant="filled"
        action={startDeployment}
        disabled={disabled}
        reason={disabled ? REASON : undefined}
      >
        {label}
      </ActionButton>
    </>
  );
}
