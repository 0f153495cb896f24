import { Status } from '../ui/Status.tsx';

/** A deployment that is running is under way; an application that is running is well. */
export const DeploymentStatus = ({ of }: { of: string }) =>
  of === 'RUNNING' ? <Status of={of} tone="busy" /> : <Status of={of} />;
