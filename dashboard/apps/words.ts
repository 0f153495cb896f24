import type { Deployment } from './api.ts';

/** Who asked for a deployment. */
export const TRIGGER_WORDS: Readonly<Record<Deployment['trigger'], string>> = {
  API: 'over the API',
  PUSH: 'by a push',
  DASHBOARD: 'from the dashboard',
  ROLLBACK: 'rollback',
};
