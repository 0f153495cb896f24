/** Keys of the builds bucket's objects, by folder. */

export const jobKey = (deploymentId: string) => `jobs/${deploymentId}.json`;
export const logKey = (deploymentId: string) => `logs/${deploymentId}.txt`;
export const resultKey = (deploymentId: string) => `results/${deploymentId}.json`;
export const artifactKey = (applicationId: string, deploymentId: string) =>
  `artifacts/${applicationId}/${deploymentId}.zip`;
/** The sealed variables of a release, as its artifact contains them: what its output must not show. */
export const environmentKey = (applicationId: string, deploymentId: string) =>
  `artifacts/${applicationId}/${deploymentId}.env.json`;

/** Caches that an application's builds keep for the next one. */
export const CACHES = ['dependencies', 'build'] as const;
export type CacheName = (typeof CACHES)[number];
export const cacheKey = (applicationId: string, name: CacheName) => `caches/${applicationId}/${name}`;
