import { readdirSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { AWS_LIMITS } from '../../../contract/limits/aws-limits.ts';
import type { Access } from '../../iam/authorizer.ts';
import type { PrincipalOf } from '../../iam/principals.ts';
import type { Children } from '../../processes/children.ts';
import { areNodesInstalled, installNodes, nodeBinaries } from '../../runtimes/node-binary.ts';
import { trustedCertificates } from '../trusted-certificates.ts';
import { type EmulatorOptions, ServiceError } from '../wire.ts';
import { discard, workspace } from '../workspace.ts';
import { type Build, type BuildRun, type Buildspec, parseBuildspec, runBuild } from './build-run.ts';
import { createBuildSlots } from './build-slots.ts';
import { type Builds, openBuilds } from './builds.ts';

export interface CodeBuildProject {
  name: string;
  /** ARN of the role of the project's builds. */
  role?: string;
  /** The rights that the role needs to start a build. */
  requiredAccess?: readonly Access[];
  /** The inline buildspec in JSON (`BuildSpec.fromObject`). */
  buildspec: string;
  environment: Record<string, string>;
  /** Directory that is copied as the source of every build. */
  sourceDir: string;
  timeoutMinutes?: number | undefined;
  /** A build that is queued for longer times out. */
  queuedTimeoutMinutes?: number | undefined;
  /** Memory limit of a build in MiB, at most half of the machine's memory. */
  memoryMb: number;
}

export interface CodeBuildOptions extends EmulatorOptions {
  children: Children;
  projects: readonly CodeBuildProject[];
  /** Variables that CodeBuild provides to every build: region, credentials, endpoints. */
  environment: Record<string, string>;
  /** `https://git.localhost/<name>.git` is cloned from `<gitRoot>/<name>.git`. */
  gitRoot: string;
  /** Returns the principal of a project's role. Default: the administrator. */
  principalOf?: PrincipalOf;
  region: string;
  accountId: string;
  /** The maximum number of concurrent builds; further builds are queued. Default: 2, or the quota of a new account if strict. */
  concurrency?: number;
  niceness?: number | undefined;
}

const DEFAULT_QUEUED_MINUTES = 480;
/** Time limit for removing directories at shutdown. The next start removes the remaining ones. */
const CLEANUP_TIMEOUT_MS = 1000;

const isWaiting = ({ buildStatus, currentPhase }: Build): boolean =>
  buildStatus === 'IN_PROGRESS' && currentPhase === 'QUEUED';

/** Returns the variables of every build. */
const sharedVariables = ({ environment, gitRoot }: CodeBuildOptions): Record<string, string> => ({
  ...environment,
  GIT_ALLOW_PROTOCOL: 'https:ssh:file',
  GIT_CONFIG_COUNT: '2',
  GIT_CONFIG_KEY_0: `url.${pathToFileURL(gitRoot)}/.insteadOf`,
  GIT_CONFIG_VALUE_0: 'https://git.localhost/',
  // The examples' repositories may belong to a different user than the current one.
  GIT_CONFIG_KEY_1: 'safe.directory',
  GIT_CONFIG_VALUE_1: '*',
});

/** Runs builds in the order of their start, and keeps their records. */
export class BuildQueue {
  readonly builds: Builds;
  readonly projects: ReadonlyMap<string, CodeBuildProject & { spec: Buildspec }>;
  readonly #options: CodeBuildOptions;
  readonly #concurrency: number;
  readonly #directory: string;
  readonly #slots: ReturnType<typeof createBuildSlots>;
  readonly #running = new Map<string, BuildRun>();
  #nodes: 'unknown' | 'fetching' | 'known' = areNodesInstalled() ? 'known' : 'unknown';
  #stopping = false;

  constructor(options: CodeBuildOptions) {
    this.#options = options;
    this.#concurrency = options.concurrency ?? (options.strict ? AWS_LIMITS.codeBuildConcurrency.value : 2);
    this.builds = openBuilds(options.dataDir);
    this.projects = new Map(
      options.projects.map((project) => [project.name, { ...project, spec: parseBuildspec(project.buildspec) }]),
    );
    this.#directory = workspace(options.dataDir, 'builds');
    this.#slots = createBuildSlots({ concurrency: this.#concurrency, onFree: () => this.startNext() });
  }

  /** Removes the directories of an earlier run, queues its queued builds, and marks its running builds FAULT. */
  recover(): void {
    for (const name of readdirSync(this.#directory)) void discard(join(this.#directory, name));
    for (const build of this.builds.all()) {
      if (build.buildStatus !== 'IN_PROGRESS') continue;
      if (isWaiting(build) && this.projects.has(build.projectName)) this.#scheduleTimeout(build);
      else this.#complete(build, 'FAULT');
    }
  }

  /** Throws if the queue is full. */
  assertRoom(): void {
    const limit = this.#concurrency * AWS_LIMITS.codeBuildQueueFactor.value;
    const isBusy = this.#options.strict && this.#running.size >= this.#concurrency;
    if (isBusy && this.builds.all().filter(this.#isQueued).length >= limit)
      throw new ServiceError(
        'AccountLimitExceededException',
        `Cannot have more than ${limit} builds in queue for the account`,
      );
  }

  /** Queues a recorded build. */
  add(build: Build): void {
    this.#scheduleTimeout(build);
    this.startNext();
  }

  /** Stops a build that has not ended. */
  stop(build: Build): void {
    if (build.buildComplete) return;
    this.#complete(build, 'STOPPED');
    void this.#running.get(build.id)?.stop();
  }

  /** Starts no further build. */
  close(): void {
    this.#stopping = true;
  }

  /** Abandons the running builds, whose records remain as they are: the next start marks them FAULT. */
  async abandon(): Promise<void> {
    await Promise.all([...this.#running.values()].map((run) => run.abandon()));
    await Promise.race([discard(this.#directory), sleep(CLEANUP_TIMEOUT_MS, undefined, { ref: false })]);
  }

  /** Starts queued builds as long as a slot is free. */
  startNext(): void {
    if (this.#stopping || this.#nodes === 'fetching' || !this.#slots.isFree()) return;
    const build = this.builds.all().find(this.#isQueued);
    if (!build) return;
    if (this.#nodes === 'unknown') {
      this.#fetchNodes();
      return;
    }
    const run = this.#run(build);
    this.#running.set(build.id, run);
    void run.ended.finally(() => this.#running.delete(build.id));
    this.#slots.acquire(run.ended);
    this.startNext();
  }

  readonly #isQueued = (build: Build): boolean => isWaiting(build) && !this.#running.has(build.id);

  #run(build: Build): BuildRun {
    const project = this.projects.get(build.projectName);
    if (!project) throw new Error(`The project ${build.projectName} no longer exists`);
    const { children, dataDir, niceness } = this.#options;
    const shared = sharedVariables(this.#options);
    return runBuild({
      build,
      spec: project.spec,
      sourceDir: project.sourceDir,
      directory: join(this.#directory, build.id.replace(':', '-')),
      // Builds on this machine use the installed Node versions. The installation verified their checksums.
      environment: { ...shared, NODE_BINARIES: JSON.stringify(nodeBinaries()), ...project.environment },
      certificates: trustedCertificates(dataDir),
      denied: this.#denialOf(project, build),
      memoryMb: Math.min(project.memoryMb, totalmem() / 2 / 1024 ** 2),
      niceness,
      children,
      changed: () => this.builds.save(build),
    });
  }

  /** Returns the reason why a build's role may not fetch the source or write the log; undefined if it may. */
  #denialOf({ role, requiredAccess = [] }: CodeBuildProject, { id }: Build): string | undefined {
    if (role === undefined) return undefined;
    return this.#options.principalOf?.(role, id.replace(':', '-').slice(0, 64)).refuse(requiredAccess)?.message;
  }

  /** Installs the Node versions of applications before the first build, which stays queued meanwhile. */
  #fetchNodes(): void {
    this.#nodes = 'fetching';
    void installNodes()
      // Builds run even if this fails: a build whose Node version is missing tries to fetch it and reports the error.
      .catch((error: Error) => this.#stopping || console.error(error.message))
      .finally(() => {
        this.#nodes = 'known';
        this.startNext();
      });
  }

  /** Completes the record of a build that did not run to its end. */
  #complete(build: Build, buildStatus: Build['buildStatus']): void {
    Object.assign(build, { buildStatus, buildComplete: true, currentPhase: 'COMPLETED', endTime: Date.now() / 1000 });
    this.builds.save(build);
  }

  /** Lets a build time out when it has been queued for too long. */
  #scheduleTimeout(build: Build): void {
    const { queuedTimeoutMinutes = DEFAULT_QUEUED_MINUTES } = this.projects.get(build.projectName) ?? {};
    const until = build.startTime * 1000 + queuedTimeoutMinutes * 60_000;
    const expire = (): void => {
      if (this.#stopping || !this.#isQueued(build)) return;
      const endTime = Date.now() / 1000;
      const ended = { startTime: build.startTime, endTime, durationInSeconds: endTime - build.startTime };
      build.phases.push({ phaseType: 'QUEUED', phaseStatus: 'TIMED_OUT', ...ended });
      this.#complete(build, 'TIMED_OUT');
    };
    setTimeout(expire, Math.max(1, until - Date.now())).unref();
  }
}
