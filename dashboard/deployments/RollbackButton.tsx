import { ConfirmButton } from '../ui/ConfirmButton.tsx';
import { formatTime } from '../ui/TimeAgo.tsx';
import { useOpenAfter } from '../ui/use-open-after.ts';
import { type Deployment, useRollback } from './api.ts';

/** Makes an earlier release live again, without a build. */
export function RollbackButton({
  deployment: { id, applicationId, commitSha, startedAt },
}: {
  deployment: Deployment;
}) {
  const rollback = useRollback();
  const openAfter = useOpenAfter();
  const rollBack = async () => {
    const { data } = await rollback.mutateAsync({ params: { id: applicationId }, body: { deploymentId: id } });
    openAfter(`/apps/${applicationId}/deployments/${data.id}`, 'The rollback has started.');
  };
  return (
    <ConfirmButton label="Roll back" question={`Roll back to ${commitSha}?`} destructive={false} onConfirm={rollBack}>
      Restores the code and variables that the deployment of {formatTime(startedAt)} made live.
    </ConfirmButton>
  );
}
