import type { Application, Deployment } from './api.ts';

/** Who asked for a deployment. */
export const TRIGGER_WORDS: Readonly<Record<Deployment['trigger'], string>> = {
  API: 'Over the API',
  PUSH: 'By a push',
  DASHBOARD: 'From the dashboard',
  ROLLBACK: 'Rollback',
};

/** What a framework is called by those who made it. */
export const FRAMEWORK_WORDS: Readonly<Record<Application['framework'], string>> = {
  NEXTJS: 'Next.js',
  NODE: 'Node.js',
  EXPRESS: 'Express',
  NUXT: 'Nuxt',
};
