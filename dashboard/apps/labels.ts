import type { Application } from './api.ts';

/** Display names of the frameworks. */
export const FRAMEWORK_LABELS: Readonly<Record<Application['framework'], string>> = {
  NEXTJS: 'Next.js',
  NODE: 'Node.js',
  EXPRESS: 'Express',
  NUXT: 'Nuxt',
};
