import { toast } from '../ui/toast.ts';
import { type SuspensionTarget, useSuspend } from './api.ts';
import { ReasonButton } from './ReasonButton.tsx';

interface SuspendProps {
  accountId: string;
  /** Name of the suspended resource, for the dialog's title. */
  name: string;
  suspended: boolean;
  target?: SuspensionTarget;
}

/** Suspends an account or one of its resources, or lifts the suspension. */
export function Suspend({ accountId, name, suspended, target = {} }: SuspendProps) {
  const suspend = useSuspend();
  const label = suspended ? 'Lift suspension' : 'Suspend';
  const set = async (reason: string) => {
    await suspend.mutateAsync({ params: { id: accountId }, body: { reason, suspended: !suspended, ...target } });
    toast(suspended ? 'Suspension lifted.' : 'Suspended.');
  };
  return (
    <ReasonButton
      label={label}
      question={suspended ? `Lift the suspension of ${name}?` : `Suspend ${name}?`}
      description={suspended ? 'Recorded in the audit log.' : 'Shown to the customer and recorded in the audit log.'}
      onConfirm={set}
    />
  );
}
