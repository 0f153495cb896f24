import * as z from 'zod/mini';
import type { FRAMEWORKS, NODE_VERSIONS } from '../../contract/enums.ts';
import { memoize } from '../../contract/envelope.ts';
import type { Sealed } from '../encryption/secrets.ts';

/** A build's job, an object in the builds bucket. The state machine passes ids only. */
export interface Job {
  applicationId: string;
  deploymentId: string;
  repoUrl: string;
  branch: string;
  nodeVersion: (typeof NODE_VERSIONS)[number];
  framework: (typeof FRAMEWORKS)[number];
  installCommand: string;
  buildCommand: string | null;
  startFile: string;
  /** The variables as JSON `{KEY: value}`, sealed under `{application: hostArn}`. */
  env: Sealed | null;
  hostArn: string;
  /** The application's databases, oldest first: no secret is needed to name them. */
  databases: { prefix: string; host: string; region: string }[];
  /** The private half of the deploy key, sealed under `{deployKey: applicationId}`; null where git speaks HTTPS. */
  deployKey: Sealed | null;
}

const Result = memoize(() =>
  z.object({
    commitSha: z.optional(z.string()),
    error: z.optional(z.string()),
    step: z.optional(z.string()),
  }),
);
/** A build's result: the commit that it packaged, or the one-line reason for its failure. */
export type Result = z.output<ReturnType<typeof Result>>;

export const jobKey = (deploymentId: string) => `jobs/${deploymentId}.json`;
export const logKey = (deploymentId: string) => `logs/${deploymentId}.txt`;
export const resultKey = (deploymentId: string) => `results/${deploymentId}.json`;
export const artifactKey = (applicationId: string, deploymentId: string) =>
  `artifacts/${applicationId}/${deploymentId}.zip`;

/** Caches that an application's builds keep for the next one. */
export const CACHES = ['dependencies', 'build'] as const;
export type CacheName = (typeof CACHES)[number];
export const cacheKey = (applicationId: string, name: CacheName) => `caches/${applicationId}/${name}`;

export interface Objects {
  getObject(bucket: string, key: string): Promise<Buffer | undefined>;
  putObject(bucket: string, key: string, body: string | Buffer, contentType: string): Promise<void>;
  deleteObject(bucket: string, key: string): Promise<void>;
}

export interface Builds {
  writeJob(job: Job): Promise<void>;
  /** The build's log as far as it has come, with its marks (build-log.ts); empty before it began. */
  readLog(deploymentId: string): Promise<string>;
  readResult(deploymentId: string): Promise<Result>;
  /** Deletes what a deployment packaged. */
  removeArtifact(applicationId: string, deploymentId: string): Promise<void>;
  /** Deletes all that a deployment left in the bucket. */
  remove(applicationId: string, deploymentId: string): Promise<void>;
  /** Deletes what an application's builds kept for the next. */
  removeCaches(applicationId: string): Promise<void>;
}

/** The builds bucket: jobs in, logs, results and artifacts out. */
export function createBuilds({ getObject, putObject, deleteObject }: Objects, bucket: string): Builds {
  return {
    writeJob: (job) => putObject(bucket, jobKey(job.deploymentId), JSON.stringify(job), 'application/json'),
    readLog: async (deploymentId) => (await getObject(bucket, logKey(deploymentId)))?.toString('utf8') ?? '',
    readResult: async (deploymentId) => {
      const found = await getObject(bucket, resultKey(deploymentId));
      return found ? Result().parse(JSON.parse(found.toString('utf8'))) : {};
    },
    removeArtifact: (applicationId, deploymentId) => deleteObject(bucket, artifactKey(applicationId, deploymentId)),
    remove: async (applicationId, deploymentId) => {
      const keys = [jobKey, logKey, resultKey].map((keyOf) => keyOf(deploymentId));
      keys.push(artifactKey(applicationId, deploymentId));
      await Promise.all(keys.map((key) => deleteObject(bucket, key)));
    },
    removeCaches: async (applicationId) => {
      await Promise.all(CACHES.map((name) => deleteObject(bucket, cacheKey(applicationId, name))));
    },
  };
}
