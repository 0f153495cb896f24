import * as z from 'zod/mini';
import { type FRAMEWORKS, NODE_VERSIONS } from '../../contract/enums.ts';
import { parseJson } from '../../contract/json.ts';
import { memoize } from '../../contract/memoize.ts';
import type { Sealed } from '../encryption/secrets.ts';
import type { BuildAccess } from './access.ts';
import { PLATFORM_FAULT } from './failures.ts';
import { sealJob } from './job-document.ts';
import { artifactKey, CACHES, cacheKey, environmentKey, jobKey, logKey, resultKey } from './keys.ts';

/** A build's job, a sealed object in the builds bucket. The state machine passes only ids and the job's URL. */
export interface Job {
  applicationId: string;
  deploymentId: string;
  repoUrl: string;
  branch: string;
  /** True if the owner did not choose the branch, so that the repository's default branch may replace it. */
  branchByDefault?: boolean;
  nodeVersion: (typeof NODE_VERSIONS)[number];
  /** True if the owner did not choose the version, so that the repository may choose another. */
  nodeVersionByDefault?: boolean;
  framework: (typeof FRAMEWORKS)[number];
  installCommand: string;
  /** Null: the package's build script, if it has one. Empty: no build. */
  buildCommand: string | null;
  startFile: string;
  /** Starts the application instead of the start file. */
  startCommand: string | null;
  /** The application's directory in the repository; null for the repository itself. */
  rootDirectory: string | null;
  /** The variables, for the application's commands. */
  variables: Record<string, string>;
  /** The variables as JSON `{KEY: value}`, sealed under `{application: hostArn}`, for the artifact. */
  env: Sealed | null;
  hostArn: string;
  /** The region of the key, if it differs from the function's. */
  keyRegion?: string | undefined;
  /** The application's databases, oldest first. Contains no secrets. */
  databases: { prefix: string; host: string; port?: number; region: string }[];
  /** Passwords of the databases by prefix, valid for an hour, for the application's commands. A database without one cannot be opened. */
  databasePasswords?: Record<string, string>;
  /** Names of the databases that are still being created. */
  pendingDatabases?: string[];
  /** KiB that the application may print in a minute. */
  logKibPerMinute?: number;
  /** The private half of the deploy key; null if Git uses HTTPS. */
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
    /** The branch that was built, if it is not the configured one. */
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
    /** True if the failure is the platform's and not the owner's. */
    fault: z.optional(z.boolean()),
    step: z.optional(z.string()),
    detected: z.optional(Detected()),
  }),
);
/** A build's result: the commit that it packaged, or the reason for its failure in one line. */
export type Result = z.output<ReturnType<typeof Result>>;

/** Stands for a result that is damaged, or that a builder of another version has written: the build has failed, and is not waited for. */
const UNREADABLE: Result = { error: PLATFORM_FAULT, fault: true };

export interface Objects {
  getObject(bucket: string, key: string): Promise<Buffer | undefined>;
  putObject(bucket: string, key: string, body: string | Buffer, contentType: string): Promise<void>;
  deleteObject(bucket: string, key: string): Promise<void>;
}

export interface Builds {
  /** Stores a job and returns the key that decrypts it. */
  writeJob(job: Job): Promise<string>;
  /** Deletes a job that no build has read. */
  removeJob(deploymentId: string): Promise<void>;
  /** Stores the sealed variables of a deployment next to its artifact. */
  writeEnvironment(applicationId: string, deploymentId: string, sealed: Sealed): Promise<void>;
  /** Returns the sealed variables of a deployment; undefined if it has none or they are no longer kept. */
  readEnvironment(applicationId: string, deploymentId: string): Promise<Sealed | undefined>;
  /** Returns the build's log so far, with its marks (build-log.ts); empty if there is none yet. */
  readLog(deploymentId: string): Promise<string>;
  /**
   * Returns a build's result; undefined until the builder has reported it. By then the artifact is stored, and so is the log unless
   * storing it failed. A result that cannot be read is a fault of the platform.
   */
  readResult(deploymentId: string): Promise<Result | undefined>;
  /** Returns a deployment's artifact; undefined if it is no longer kept. */
  readArtifact(applicationId: string, deploymentId: string): Promise<Buffer | undefined>;
  /** Replaces a deployment's artifact. */
  writeArtifact(applicationId: string, deploymentId: string, artifact: Buffer): Promise<void>;
  /** Deletes a deployment's artifact and sealed variables. */
  removeArtifact(applicationId: string, deploymentId: string): Promise<void>;
  /** Deletes all objects of a deployment. */
  remove(applicationId: string, deploymentId: string): Promise<void>;
  /** Deletes the caches of an application's builds. */
  removeCaches(applicationId: string): Promise<void>;
}

/** Accesses the builds bucket: it receives jobs, and returns logs, results and artifacts. */
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
      return found && (Result().safeParse(parseJson(found.toString('utf8'))).data ?? UNREADABLE);
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
