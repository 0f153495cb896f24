import { toast } from '../ui/toast.ts';
import { useCancelDeployment, useResend } from './api.ts';
import { ReasonButton } from './ReasonButton.tsx';

interface ActionProps {
  accountId: string;
  id: string;
}

/** Cancels a running deployment. */
export function CancelDeployment({ accountId, id }: ActionProps) {
  const cancel = useCancelDeployment();
  const confirm = async (reason: string) => {
    await cancel.mutateAsync({ params: { id: accountId, deploymentId: id }, body: { reason } });
    toast('The deployment is being stopped.');
  };
  return (
    <ReasonButton
      label="Cancel"
      question="Cancel this deployment?"
      description="The customer sees the reason in the deployment log."
      onConfirm={confirm}
    />
  );
}

/** Replays a delivery. */
export function ResendDelivery({ accountId, id }: ActionProps) {
  const resend = useResend();
  const confirm = async (reason: string) => {
    await resend.mutateAsync({ params: { id: accountId, deliveryId: id }, body: { reason } });
    toast('Delivery queued.');
  };
  return <ReasonButton label="Replay" question="Replay this delivery?" onConfirm={confirm} />;
}
