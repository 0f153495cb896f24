import * as z from 'zod/mini';
import { type FRAMEWORKS, NODE_VERSIONS } from '../../contract/enums.ts';
import { memoize } from '../../contract/memoize.ts';
import type { Sealed } from '../encryption/secrets.ts';
import type { BuildAccess } from './access.ts';
import { sealJob } from './job-document.ts';
import { artifactKey, CACHES, cacheKey, environmentKey, jobKey, logKey, resultKey } from './keys.ts';

/** A build's job, a sealed object in the builds bucket. The state machine passes ids and the job's address only. */
export interface Job {
  applicationId: string;
  deploymentId: string;
  repoUrl: string;
  branch: string;
  /** True if the owner did not choose the branch: the repository's default branch may take its place. */
  branchByDefault?: boolean;
  nodeVersion: (typeof NODE_VERSIONS)[number];
  /** True if the owner did not choose the version: the repository may choose another. */
  nodeVersionByDefault?: boolean;
  framework: (typeof FRAMEWORKS)[number];
  installCommand: string;
  /** Null: the package's own build script, if any; empty: none. */
  buildCommand: string | null;
  startFile: string;
  /** Starts the application in place of the start file. */
  startCommand: string | null;
  /** The application's directory in the repository; null for the repository itself. */
  rootDirectory: string | null;
  /** The variables, for the application's commands. */
  variables: Record<string, string>;
  /** The variables as JSON `{KEY: value}`, sealed under `{application: hostArn}`, for the artifact. */
  env: Sealed | null;
  hostArn: string;
  /** The region of the key, where it is not the function's. */
  keyRegion?: string | undefined;
  /** The application's databases, oldest first: no secret is needed to name them. */
  databases: { prefix: string; host: string; port?: number; region: string }[];
  /** KiB that the application may print in a minute. */
  logKibPerMinute?: number;
  /** The private half of the deploy key; null where git speaks HTTPS. */
  deployKey: string | null;
  access: BuildAccess;
}

/** The form of a {@link Sealed} text in a file. */
export const SealedFile = memoize(() => z.object({ wrappedKey: z.string(), iv: z.string(), ciphertext: z.string() }));

const Detected = memoize(() =>
  z.object({
    framework: z.nullable(z.string()),
    packageManager: z.nullable(z.string()),
    nodeVersion: z.enum(NODE_VERSIONS),
    /** The branch that was built, where it is not the configured one. */
    branch: z.optional(z.string()),
    buildCommand: z.nullable(z.string()),
    /** Undefined before the application is packaged. */
    start: z.optional(z.string()),
  }),
);
/** Findings of a build in the repository. */
export type Detected = z.output<ReturnType<typeof Detected>>;

const Result = memoize(() =>
  z.object({
    commitSha: z.optional(z.string()),
    error: z.optional(z.string()),
    /** True where the build failed for a reason that is not its owner's. */
    fault: z.optional(z.boolean()),
    step: z.optional(z.string()),
    detected: z.optional(Detected()),
  }),
);
/** A build's result: the commit that it packaged, or the one-line reason for its failure. */
export type Result = z.output<ReturnType<typeof Result>>;

export interface Objects {
  getObject(bucket: string, key: string): Promise<Buffer | undefined>;
  putObject(bucket: string, key: string, body: string | Buffer, contentType: string): Promise<void>;
  deleteObject(bucket: string, key: string): Promise<void>;
}

export interface Builds {
  /** Stores a job and returns the key that decrypts it. */
  writeJob(job: Job): Promise<string>;
  /** Deletes a job that no build took. */
  removeJob(deploymentId: string): Promise<void>;
  /** Stores the sealed variables of a deployment beside its artifact. */
  writeEnvironment(applicationId: string, deploymentId: string, sealed: Sealed): Promise<void>;
  /** The sealed variables of a deployment; undefined if it has none, or if they are no longer kept. */
  readEnvironment(applicationId: string, deploymentId: string): Promise<Sealed | undefined>;
  /** The build's log as far as it has come, with its marks (build-log.ts); empty before it began. */
  readLog(deploymentId: string): Promise<string>;
  /** Returns undefined before the builder has reported. What it packaged is stored by then, and its log, unless that cannot be stored. */
  readResult(deploymentId: string): Promise<Result | undefined>;
  /** Returns what a deployment packaged; undefined if it is no longer kept. */
  readArtifact(applicationId: string, deploymentId: string): Promise<Buffer | undefined>;
  /** Replaces what a deployment packaged. */
  writeArtifact(applicationId: string, deploymentId: string, artifact: Buffer): Promise<void>;
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
    async writeJob(job) {
      const { document, key } = sealJob(job);
      await putObject(bucket, jobKey(job.deploymentId), document, 'application/octet-stream');
      return key;
    },
    removeJob: (deploymentId) => deleteObject(bucket, jobKey(deploymentId)),
    writeEnvironment: (applicationId, deploymentId, sealed) =>
      putObject(bucket, environmentKey(applicationId, deploymentId), JSON.stringify(sealed), 'application/json'),
    readEnvironment: async (applicationId, deploymentId) => {
      const found = await getObject(bucket, environmentKey(applicationId, deploymentId));
      return found ? SealedFile().parse(JSON.parse(found.toString('utf8'))) : undefined;
    },
    readLog: async (deploymentId) => (await getObject(bucket, logKey(deploymentId)))?.toString('utf8') ?? '',
    readResult: async (deploymentId) => {
      const found = await getObject(bucket, resultKey(deploymentId));
      return found && Result().parse(JSON.parse(found.toString('utf8')));
    },
    readArtifact: (applicationId, deploymentId) => getObject(bucket, artifactKey(applicationId, deploymentId)),
    writeArtifact: (applicationId, deploymentId, artifact) =>
      putObject(bucket, artifactKey(applicationId, deploymentId), artifact, 'application/zip'),
    removeArtifact: async (applicationId, deploymentId) => {
      const keys = [artifactKey, environmentKey].map((keyOf) => keyOf(applicationId, deploymentId));
      await Promise.all(keys.map((key) => deleteObject(bucket, key)));
    },
    remove: async (applicationId, deploymentId) => {
      const keys = [jobKey, logKey, resultKey].map((keyOf) => keyOf(deploymentId));
      keys.push(artifactKey(applicationId, deploymentId), environmentKey(applicationId, deploymentId));
      await Promise.all(keys.map((key) => deleteObject(bucket, key)));
    },
    removeCaches: async (applicationId) => {
      await Promise.all(CACHES.map((name) => deleteObject(bucket, cacheKey(applicationId, name))));
    },
  };
}
