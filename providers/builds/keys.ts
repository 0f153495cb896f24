/** Keys of objects in the builds bucket, by folder. */

export const jobKey = (deploymentId: string) => `jobs/${deploymentId}.json`;
export const logKey = (deploymentId: string) => `logs/${deploymentId}.txt`;
export const resultKey = (deploymentId: string) => `results/${deploymentId}.json`;
export const artifactKey = (applicationId: string, deploymentId: string) =>
  `artifacts/${applicationId}/${deploymentId}.zip`;
/** The sealed variables of a release, the same as in its artifact. The release's output must not show them. */
export const environmentKey = (applicationId: string, deploymentId: string) =>
  `artifacts/${applicationId}/${deploymentId}.env.json`;

/** Caches that a build keeps for the application's next build. */
export const CACHES = ['dependencies', 'build'] as const;
export type CacheName = (typeof CACHES)[number];
export const cacheKey = (applicationId: string, name: CacheName) => `caches/${applicationId}/${name}`;
