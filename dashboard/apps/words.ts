import type { Deployment } from './api.ts';

/** Who asked for a deployment. */
export const TRIGGER_WORDS: Readonly<Record<Deployment['trigger'], string>> = {
  API: 'Over the API',
  PUSH: 'By a push',
  DASHBOARD: 'From the dashboard',
  ROLLBACK: 'Rollback',
};
