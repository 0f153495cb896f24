import { entryOf } from '../../contract/enums.ts';
import type { Deployment } from './api.ts';

/** Origin of a deployment. */
export const TRIGGER_LABELS: Readonly<Record<Deployment['trigger'], string>> = {
  API: 'API',
  PUSH: 'Git push',
  DASHBOARD: 'Dashboard',
  ROLLBACK: 'Rollback',
};

/** Display names of the deployment statuses. */
export const STATUS_LABELS: Readonly<Record<Deployment['status'], string>> = {
  QUEUED: 'Queued',
  RUNNING: 'Building',
  SUCCEEDED: 'Ready',
  FAILED: 'Failed',
};

/** Returns the label of a status. Unknown text, which the filter in the URL may have, is returned unchanged. */
export const statusLabel = (status: string): string => entryOf<string, string>(STATUS_LABELS, status) ?? status;
