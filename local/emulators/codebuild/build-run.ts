import { once } from 'node:events';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import * as z from 'zod';
import type { Children } from '../../processes/children.ts';
import { machinePath, networkEnvironment, npmEnvironment } from '../machine.ts';
import { discard } from '../workspace.ts';

const Phase = z.object({
  phaseType: z.string(),
  phaseStatus: z.string(),
  startTime: z.number(),
  endTime: z.number(),
  durationInSeconds: z.number(),
  contexts: z.array(z.object({ statusCode: z.string(), message: z.string() })).optional(),
});

/** A build in CodeBuild's format. Times are seconds since the epoch. */
export const Build = z.object({
  id: z.string(),
  arn: z.string(),
  projectName: z.string(),
  buildNumber: z.number(),
  buildStatus: z.enum(['IN_PROGRESS', 'SUCCEEDED', 'FAILED', 'FAULT', 'TIMED_OUT', 'STOPPED']),
  buildComplete: z.boolean(),
  currentPhase: z.string(),
  startTime: z.number(),
  endTime: z.number().optional(),
  initiator: z.string(),
  timeoutInMinutes: z.number(),
  // The emulator ignores the type, the image and the compute type.
  environment: z.object({
    type: z.string().default('ARM_CONTAINER'),
    image: z.string().default('local'),
    computeType: z.string().default('BUILD_GENERAL1_MEDIUM'),
    environmentVariables: z.array(z.object({ name: z.string(), value: z.string(), type: z.string() })),
  }),
  phases: z.array(Phase),
});
export type Build = z.output<typeof Build>;

const Commands = z.object({ commands: z.array(z.string()).default([]) }).optional();
const Buildspec = z.object({
  env: z.object({ variables: z.record(z.string(), z.string()).default({}) }).optional(),
  phases: z.object({ install: Commands, pre_build: Commands, build: Commands, post_build: Commands }),
});
export type Buildspec = z.output<typeof Buildspec>;

/** Parses an inline buildspec in JSON, as `BuildSpec.fromObject` writes it. Throws for any other format. */
export function parseBuildspec(text: string): Buildspec {
  try {
    return Buildspec.parse(JSON.parse(text));
  } catch (cause) {
    throw new Error('The CodeBuild emulator only reads buildspecs in JSON (BuildSpec.fromObject)', { cause });
  }
}

export interface BuildRun {
  /** Resolves when the build has ended. Does not reject. */
  ended: Promise<void>;
  /** Ends the build's processes. The caller sets the status. */
  stop(): Promise<void>;
  /** Ends the build's processes and leaves its record unchanged. */
  abandon(): Promise<void>;
}

interface RunOptions {
  build: Build;
  spec: Buildspec;
  sourceDir: string;
  /** Created for this build and removed after it ends. */
  directory: string;
  environment: Record<string, string>;
  /** Certificates in PEM that the build trusts in addition to Node's. */
  certificates?: string | undefined;
  memoryMb: number;
  niceness?: number | undefined;
  /** The reason why the build's role may not start the build. */
  denied?: string | undefined;
  children: Children;
  changed(): void;
}

/** On AWS, builds have their own machines. On this machine, requests take precedence over builds. */
const DEFAULT_NICENESS = 10;
/** Delay after which a successful build's directory is removed. The shutdown of the local run removes all directories. */
const CLEANUP_DELAY_MS = 90_000;

/** Runs a build. Updates its record, and calls `changed` when the build has begun and when it has ended. */
export function runBuild({
  build,
  spec,
  sourceDir,
  directory,
  environment,
  certificates,
  memoryMb,
  niceness = DEFAULT_NICENESS,
  denied,
  children,
  changed,
}: RunOptions): BuildRun {
  const source = join(directory, 'src');
  const temporary = join(directory, 'tmp');
  const trusted = join(directory, 'certificates.pem');
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), build.timeoutInMinutes * 60_000);
  let abandoned = false;
  const update = (change: Partial<Build>): boolean => {
    if (abandoned || build.buildStatus === 'STOPPED') return false;
    Object.assign(build, change);
    return true;
  };
  /** Updates the build and saves it: a restart needs to know whether it had begun, and how it ended. */
  const record = (change: Partial<Build>): void => {
    if (update(change)) changed();
  };
  const variables = (): Record<string, string> => ({
    ...networkEnvironment(),
    ...npmEnvironment(),
    ...(certificates === undefined ? {} : { NODE_EXTRA_CA_CERTS: trusted }),
    ...environment,
    ...spec.env?.variables,
    ...Object.fromEntries(build.environment.environmentVariables.map(({ name, value }) => [name, value])),
    PATH: [dirname(process.execPath), ...machinePath()].join(delimiter),
    TMPDIR: temporary,
    CODEBUILD_BUILD_ID: build.id,
    CODEBUILD_BUILD_ARN: build.arn,
    CODEBUILD_BUILD_NUMBER: String(build.buildNumber),
    CODEBUILD_INITIATOR: build.initiator,
    CODEBUILD_SRC_DIR: source,
    CODEBUILD_START_TIME: String(Math.round(build.startTime * 1000)),
    CODEBUILD_CI: 'true',
  });

  /** Runs one command. Returns the reason of its failure; undefined if it succeeded. */
  const runCommand = async (text: string, succeeding: boolean): Promise<string | undefined> => {
    if (deadline.signal.aborted) return 'The build ended before this command.';
    const env = { ...variables(), CODEBUILD_BUILD_SUCCEEDING: succeeding ? '1' : '0' };
    const options = { label: 'codebuild', cwd: source, env, memoryMb, niceness };
    const child = children.spawn('sh', ['-c', text], options);
    const kill = () => void children.end(child);
    deadline.signal.addEventListener('abort', kill, { once: true });
    const [code, signal] = await once(child, 'exit').catch((error: Error) => [error.message, null]);
    deadline.signal.removeEventListener('abort', kill);
    return code === 0 ? undefined : `Error while executing command: ${text}. Reason: exit status ${code ?? signal}`;
  };

  /** Runs the commands of a phase up to the first failure. Returns false after a failure. */
  const runPhase = async (name: keyof typeof spec.phases, succeeding = true): Promise<boolean> => {
    const phaseType = name.toUpperCase();
    update({ currentPhase: phaseType });
    const startTime = Date.now() / 1000;
    let failure: string | undefined;
    for (const text of spec.phases[name]?.commands ?? []) {
      failure = await runCommand(text, succeeding);
      if (failure !== undefined || deadline.signal.aborted) break;
    }
    const endTime = Date.now() / 1000;
    build.phases.push({
      phaseType,
      phaseStatus: deadline.signal.aborted ? 'TIMED_OUT' : failure === undefined ? 'SUCCEEDED' : 'FAILED',
      startTime,
      endTime,
      durationInSeconds: Math.round(endTime - startTime),
      ...(failure === undefined ? {} : { contexts: [{ statusCode: 'COMMAND_EXECUTION_ERROR', message: failure }] }),
    });
    return failure === undefined;
  };

  const run = async (): Promise<Build['buildStatus']> => {
    record({ currentPhase: 'DOWNLOAD_SOURCE' });
    if (denied !== undefined) {
      const now = Date.now() / 1000;
      const times = { startTime: now, endTime: now, durationInSeconds: 0 };
      const contexts = [{ statusCode: 'CLIENT_ERROR', message: denied }];
      build.phases.push({ phaseType: 'DOWNLOAD_SOURCE', phaseStatus: 'CLIENT_ERROR', ...times, contexts });
      return 'FAILED';
    }
    await Promise.all([cp(sourceDir, source, { recursive: true }), mkdir(temporary, { recursive: true })]);
    if (certificates !== undefined) await writeFile(trusted, certificates);
    if (!(await runPhase('install')) || !(await runPhase('pre_build'))) return 'FAILED';
    // As in CodeBuild, post_build runs even if the build failed.
    const isBuilt = await runPhase('build');
    return (await runPhase('post_build', isBuilt)) && isBuilt ? 'SUCCEEDED' : 'FAILED';
  };

  const completion = run()
    .catch((error: unknown): Build['buildStatus'] => {
      console.error(error);
      return 'FAULT';
    })
    .then((status) => {
      clearTimeout(timer);
      // The removal is delayed, because the release that follows writes as many files, and ext4 is slow for half a minute
      // after so many deletions. No release follows a failed build, which may have filled the disk, so that its end cannot
      // be recorded: its directory is removed immediately.
      setTimeout(() => void discard(directory), status === 'SUCCEEDED' ? CLEANUP_DELAY_MS : 0).unref();
      const buildStatus = deadline.signal.aborted ? 'TIMED_OUT' : status;
      record({ buildStatus, buildComplete: true, currentPhase: 'COMPLETED', endTime: Date.now() / 1000 });
    })
    .catch((error: unknown) => console.error(error));
  const stop = (): Promise<void> => {
    deadline.abort();
    return completion;
  };
  return {
    ended: completion,
    stop,
    abandon() {
      abandoned = true;
      return stop();
    },
  };
}
