import { useLocation } from 'wouter';
import { type Deployment, useRollback } from '../apps/api.ts';
import { Confirm } from '../ui/ConfirmButton.tsx';
import { timeOf } from '../ui/TimeAgo.tsx';

/** Puts an earlier release in service again, without a build. */
export function RollBack({ deployment: { id, applicationId, commitSha, startedAt } }: { deployment: Deployment }) {
  const rollback = useRollback();
  const [, navigate] = useLocation();
  const act = async () => {
    const { data } = await rollback.mutateAsync({ params: { id: applicationId }, body: { deploymentId: id } });
    navigate(`/apps/${applicationId}/deployments/${data.id}`);
  };
  return (
    <Confirm label="Roll back to this" question={`Roll back to ${commitSha}?`} destructive={false} act={act}>
      The release of {timeOf(startedAt)}, with its code and its variables, takes the place of the one that serves now.
    </Confirm>
  );
}
