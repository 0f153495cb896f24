import { Status } from '../ui/Status.tsx';
import type { Deployment } from './api.ts';
import { STATUS_LABELS } from './labels.ts';

/** The status of a deployment. Unlike a running application, a running deployment is still being built. */
export const DeploymentStatus = ({ value }: { value: Deployment['status'] }) => (
  <Status value={value === 'RUNNING' ? 'BUILDING' : value} label={STATUS_LABELS[value]} />
);
