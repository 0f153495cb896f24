import { useLocation } from 'wouter';
import { ActButton } from '../ui/ActionButton.tsx';
import { type Application, useDeploy } from './api.ts';

/** Deploys the branch as it is now, and goes to watch it. */
export function DeployButton({ app, label = 'Deploy' }: { app: Application; label?: string }) {
  const deploy = useDeploy();
  const [, navigate] = useLocation();
  const act = async () => {
    const { data } = await deploy.mutateAsync({ params: { id: app.id } });
    navigate(`/apps/${app.id}/deployments/${data.id}`);
  };
  return (
    <ActButton variant="filled" act={act} disabled={app.repoUrl === null || app.status === 'DELETING'}>
      {label}
    </ActButton>
  );
}
