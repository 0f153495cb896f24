import { useLocation } from 'wouter';
import { ConfirmButton } from '../ui/ConfirmButton.tsx';
import { formatTime } from '../ui/TimeAgo.tsx';
import { type Deployment, useRollback } from './api.ts';

/** Makes an earlier release live again, without a build. */
export function RollbackButton({
  deployment: { id, applicationId, commitSha, startedAt },
}: {
  deployment: Deployment;
}) {
  const rollback = useRollback();
  const [, navigate] = useLocation();
  const rollBack = async () => {
    const { data } = await rollback.mutateAsync({ params: { id: applicationId }, body: { deploymentId: id } });
    navigate(`/apps/${applicationId}/deployments/${data.id}`);
  };
  return (
    <ConfirmButton label="Roll back" question={`Roll back to ${commitSha}?`} destructive={false} onConfirm={rollBack}>
      Restores the code and variables from {formatTime(startedAt)}.
    </ConfirmButton>
  );
}
