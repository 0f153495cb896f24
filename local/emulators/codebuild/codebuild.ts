import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import { AWS_LIMITS } from '../../../contract/limits/aws-limits.ts';
import type { Access } from '../../iam/authorizer.ts';
import type { PrincipalOf } from '../../iam/principals.ts';
import type { Children } from '../../processes/children.ts';
import { areNodesInstalled, installNodes, nodeBinaries } from '../../runtimes/node-binary.ts';
import { type Emulator, type EmulatorOptions, jsonOperations, parse, ServiceError, serve } from '../wire.ts';
import { discard, workspace } from '../workspace.ts';
import { Build, type BuildRun, parseBuildspec, runBuild } from './build-run.ts';
import { createBuildSlots } from './build-slots.ts';
import { openBuilds } from './builds.ts';

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

const StartBuild = z.object({
  projectName: z.string(),
  idempotencyToken: z.string().optional(),
  timeoutInMinutesOverride: z.number().int().min(5).max(2160).optional(),
  environmentVariablesOverride: z
    .array(z.object({ name: z.string(), value: z.string(), type: z.literal('PLAINTEXT').default('PLAINTEXT') }))
    .default([]),
});
const Ids = z.object({ ids: z.array(z.string()).min(1).max(100) });

const DEFAULT_MINUTES = 60;
const DEFAULT_QUEUED_MINUTES = 480;
/** Time limit for removing directories at shutdown. The next start removes the remaining ones. */
const CLEANUP_TIMEOUT_MS = 1000;

/**
 * Starts an emulator of AWS CodeBuild: StartBuild, BatchGetBuilds, StopBuild, ListBuildsForProject. A build runs the
 * project's buildspec in a new directory with a new environment. After a restart, queued builds run and running builds
 * are marked FAULT.
 */
export async function startCodeBuild(options: CodeBuildOptions): Promise<Emulator> {
  const { dataDir, region, accountId, strict } = options;
  const { concurrency = strict ? AWS_LIMITS.codeBuildConcurrency.value : 2 } = options;
  const projects = new Map(
    options.projects.map((project) => [project.name, { ...project, spec: parseBuildspec(project.buildspec) }]),
  );
  const builds = openBuilds(dataDir);
  const directory = workspace(dataDir, 'builds');
  // Removes the directories of an earlier run.
  for (const name of readdirSync(directory)) void discard(join(directory, name));

  const running = new Map<string, BuildRun>();
  let stopping = false;
  const arn = (kind: string, name: string) => `arn:aws:codebuild:${region}:${accountId}:${kind}/${name}`;

  const shared = {
    ...options.environment,
    GIT_ALLOW_PROTOCOL: 'https:ssh:file',
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: `url.${pathToFileURL(options.gitRoot)}/.insteadOf`,
    GIT_CONFIG_VALUE_0: 'https://git.localhost/',
    // The examples' repositories may belong to a different user than the current one.
    GIT_CONFIG_KEY_1: 'safe.directory',
    GIT_CONFIG_VALUE_1: '*',
  };

  const isQueued = ({ id, buildStatus, currentPhase }: Build): boolean =>
    buildStatus === 'IN_PROGRESS' && currentPhase === 'QUEUED' && !running.has(id);

  /** Completes the record of a build that did not run to its end. */
  const complete = (build: Build, buildStatus: Build['buildStatus']): void => {
    Object.assign(build, { buildStatus, buildComplete: true, currentPhase: 'COMPLETED', endTime: Date.now() / 1000 });
    builds.save(build);
  };

  /** Throws if the queue is full. */
  const assertQueueRoom = (): void => {
    const limit = concurrency * AWS_LIMITS.codeBuildQueueFactor.value;
    if (strict && running.size >= concurrency && builds.all().filter(isQueued).length >= limit)
      throw new ServiceError(
        'AccountLimitExceededException',
        `Cannot have more than ${limit} builds in queue for the account`,
      );
  };

  /** Lets a build time out when it has been queued for too long. */
  const scheduleQueueTimeout = (build: Build): void => {
    const { queuedTimeoutMinutes = DEFAULT_QUEUED_MINUTES } = projects.get(build.projectName) ?? {};
    const until = build.startTime * 1000 + queuedTimeoutMinutes * 60_000;
    const expire = (): void => {
      if (stopping || !isQueued(build)) return;
      const endTime = Date.now() / 1000;
      const ended = { startTime: build.startTime, endTime, durationInSeconds: endTime - build.startTime };
      build.phases.push({ phaseType: 'QUEUED', phaseStatus: 'TIMED_OUT', ...ended });
      complete(build, 'TIMED_OUT');
    };
    setTimeout(expire, Math.max(1, until - Date.now())).unref();
  };
  /** Returns the reason why a build's role may not fetch the source or write the log; undefined if it may. */
  const denialOf = ({ role, requiredAccess = [] }: CodeBuildProject, { id }: Build): string | undefined =>
    role === undefined
      ? undefined
      : options.principalOf?.(role, id.replace(':', '-').slice(0, 64)).refuse(requiredAccess)?.message;

  let nodes: 'unknown' | 'fetching' | 'known' = areNodesInstalled() ? 'known' : 'unknown';
  /** Installs the Node versions of applications before the first build, which stays queued meanwhile. */
  const fetchNodes = (): void => {
    nodes = 'fetching';
    void installNodes()
      // Builds run even if this fails: a build whose Node version is missing tries to fetch it and reports the error.
      .catch((error: Error) => stopping || console.error(error.message))
      .finally(() => {
        nodes = 'known';
        startNext();
      });
  };

  const slots = createBuildSlots({ concurrency, onFree: () => startNext() });
  const startNext = (): void => {
    if (stopping || nodes === 'fetching' || !slots.isFree()) return;
    const build = builds.all().find(isQueued);
    if (!build) return;
    if (nodes === 'unknown') {
      fetchNodes();
      return;
    }
    const project = projects.get(build.projectName);
    if (!project) throw new Error(`The project ${build.projectName} no longer exists`);
    const run = runBuild({
      build,
      spec: project.spec,
      sourceDir: project.sourceDir,
      directory: join(directory, build.id.replace(':', '-')),
      // Builds on this machine use the installed Node versions. The installation verified their checksums.
      environment: { ...shared, NODE_BINARIES: JSON.stringify(nodeBinaries()), ...project.environment },
      denied: denialOf(project, build),
      memoryMb: Math.min(project.memoryMb, totalmem() / 2 / 1024 ** 2),
      niceness: options.niceness,
      children: options.children,
      changed: () => builds.save(build),
    });
    running.set(build.id, run);
    void run.ended.finally(() => running.delete(build.id));
    slots.acquire(run.ended);
    startNext();
  };

  const start = (body: Buffer) => {
    const input = parse(StartBuild, body);
    const project = projects.get(input.projectName);
    if (!project) {
      throw new ServiceError(
        'ResourceNotFoundException',
        `Project cannot be found: ${arn('project', input.projectName)}`,
      );
    }
    const { idempotencyToken: token, ...parameters } = input;
    const request = JSON.stringify(parameters);
    const earlier = builds.startedWith(token);
    if (earlier && earlier.request !== request) {
      throw new ServiceError('InvalidInputException', 'The idempotency token was used with other parameters.');
    }
    if (earlier) return { build: earlier.build };
    assertQueueRoom();

    const id = `${project.name}:${randomUUID()}`;
    const now = Date.now() / 1000;
    const build: Build = {
      id,
      arn: arn('build', id),
      projectName: project.name,
      buildNumber: (builds.all().at(-1)?.buildNumber ?? 0) + 1,
      buildStatus: 'IN_PROGRESS',
      buildComplete: false,
      currentPhase: 'QUEUED',
      startTime: now,
      initiator: 'local',
      timeoutInMinutes: input.timeoutInMinutesOverride ?? project.timeoutMinutes ?? DEFAULT_MINUTES,
      environment: Build.shape.environment.parse({ environmentVariables: input.environmentVariablesOverride }),
      phases: [
        { phaseType: 'SUBMITTED', phaseStatus: 'SUCCEEDED', startTime: now, endTime: now, durationInSeconds: 0 },
      ],
    };
    builds.add({ build, token, request });
    scheduleQueueTimeout(build);
    startNext();
    return { build };
  };

  for (const build of builds.all()) {
    if (build.buildStatus !== 'IN_PROGRESS') continue;
    if (build.currentPhase === 'QUEUED' && projects.has(build.projectName)) scheduleQueueTimeout(build);
    else complete(build, 'FAULT');
  }

  const emulator = await serve(
    options.port,
    'application/x-amz-json-1.1',
    jsonOperations({
      StartBuild: start,
      BatchGetBuilds(body) {
        const { ids } = parse(Ids, body);
        const found = ids.map(builds.find);
        return { builds: found.filter((build) => build), buildsNotFound: ids.filter((_, index) => !found[index]) };
      },
      StopBuild(body) {
        const { id } = parse(z.object({ id: z.string() }), body);
        const build = builds.find(id);
        if (!build) throw new ServiceError('ResourceNotFoundException', `Build ${id} does not exist`);
        if (!build.buildComplete) {
          complete(build, 'STOPPED');
          void running.get(build.id)?.stop();
        }
        return { build };
      },
      ListBuildsForProject(body) {
        const input = parse(
          z.object({ projectName: z.string(), sortOrder: z.enum(['ASCENDING', 'DESCENDING']).optional() }),
          body,
        );
        const ids = builds
          .all()
          .filter(({ projectName }) => projectName === input.projectName)
          .map(({ id }) => id);
        return { ids: input.sortOrder === 'ASCENDING' ? ids : ids.reverse() };
      },
    }),
  );
  startNext();
  return {
    ...emulator,
    async stop() {
      stopping = true;
      await emulator.stop();
      // Builds are no longer saved from here on: the next start finds the running ones unfinished and marks them FAULT.
      await Promise.all([...running.values()].map((run) => run.abandon()));
      await Promise.race([discard(directory), sleep(CLEANUP_TIMEOUT_MS, undefined, { ref: false })]);
    },
  };
}
