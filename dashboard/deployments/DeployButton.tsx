import { ActionButton } from '../ui/ActionButton.tsx';
import { useOpenAfter } from '../ui/use-open-after.ts';
import { useDeploy } from './api.ts';

interface DeployButtonProps {
  appId: string;
  disabled: boolean;
  label?: string;
}

/** Starts a deployment of the branch and opens its screen. Says beside the button why it is disabled: touch shows no tooltips. */
export function DeployButton({ appId, disabled, label = 'Deploy' }: DeployButtonProps) {
  const deploy = useDeploy();
  const openAfter = useOpenAfter();
  const startDeployment = async () => {
    const { data } = await deploy.mutateAsync({ params: { id: appId } });
    openAfter(`/apps/${appId}/deployments/${data.id}`, 'The deployment has started.');
  };
  return (
    <>
      {disabled && <span className="row-detail">Needs a Git repository and an active application.</span>}
      <ActionButton variant="filled" action={startDeployment} disabled={disabled}>
        {label}
      </ActionButton>
    </>
  );
}
