import type * as z from 'zod/mini';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import type { BuildRunner, RunningBuild } from '../../providers/builds/build-runner.ts';
import type { Builds, Result } from '../../providers/builds/builds.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import { SwitchState } from '../../table/entities/switches.ts';
import { change } from '../../table/writes.ts';
import type { Deps } from '../deps.ts';
import { messageOf } from '../switches/switches.ts';
import { clearNextBuild } from './build-queue.ts';
import type { SubmitInput, WatchInput } from './inputs.ts';
import { alreadyEnded, readRunning } from './release.ts';

const T = TIMEOUTS_S.build;
/**
 * Age of a queued build, in milliseconds, up to which the step keeps polling: a builder starts within about this time, and a pause of the
 * execution would cost more.
 */
const BUILDER_START_MS = 10_000;

/** A deployment's build in the state of its execution: as CodeBuild reports it, or `REFUSED`. */
export type Build =
  | { status: 'REFUSED' }
  | (Pick<RunningBuild, 'status' | 'phases'> & {
      id: string;
      /** Of a `QUEUED` build: the seconds until the next poll. */
      pause?: number;
      /** Of a `QUEUED` build: the seconds of its wait so far. */
      waited?: number;
    });

/**
 * Submits the build of a job. Repeating the call within minutes returns the same build. If the deployment ended meanwhile, or its
 * application was deleted or suspended, the build is stopped, either here or by the caller that ended the deployment.
 */
export async function submitBuild(
  deps: Deps & { buildRunner: BuildRunner; buildRegion: string },
  { step: { jobUrl }, ...ids }: z.output<typeof SubmitInput>,
): Promise<Build> {
  const { accountId, deploymentId } = ids;
  const off = (await deps.table.get(SwitchState, {}))?.off ?? {};
  // The execution submits a refused build again later, as if no builder were free.
  if (messageOf(off, 'build-region', deps.buildRegion) !== undefined) return { status: 'REFUSED' };
  const id = await deps.buildRunner.start(deploymentId, jobUrl);
  if (id === undefined) return { status: 'REFUSED' };
  try {
    const update = { set: { buildId: id }, when: { status: { is: 'RUNNING' } } } as const;
    await deps.table.write(Deployment, change(Deployment, { accountId, id: deploymentId }, update, alreadyEnded));
    // Whatever stops a deployment changes the application first and reads the build's id afterwards, so one side sees the other.
    await readRunning(deps, ids);
  } catch (error) {
    await deps.buildRunner.stop(id);
    throw error;
  }
  return { status: 'RUNNING', id, phases: [] };
}

/** Milliseconds until CodeBuild is polled again: a tenth of the build's age, because its request rate is shared by all builds. */
const pollDelay = (age: number): number => Math.min(Math.max(age / 10, 250), 5000);

/** Seconds that the execution pauses before it polls a build that waits for a builder. */
export const queuePause = (age: number): number => Math.min(Math.ceil(age / 10_000), T.queuePoll);

/** Milliseconds until the result of a running build is read again: an eightieth of the build's age, so that short builds finish promptly. */
const resultPollDelay = (age: number): number => Math.min(Math.max(age / 80, 50), 250);

type WatchDeps = Deps & {
  buildRunner: BuildRunner;
  builds: Pick<Builds, 'readResult'>;
  pause(ms: number): Promise<unknown>;
};

/**
 * Returns a build as ended once its builder has reported a result. CodeBuild ends it some seconds later, while the builder may still
 * store its cache for the next build. The time so far is the duration of the build.
 */
function endWithResult(id: string, found: RunningBuild | undefined, { error }: Result, now: Date): Build {
  const outcome = error === undefined ? 'SUCCEEDED' : 'FAILED';
  const { status, phases = [], submittedAt = now } = found ?? {};
  if (status !== 'RUNNING') return { status: outcome, id, phases };
  const ended = phases.filter(({ seconds }) => seconds !== undefined);
  const before = ended.reduce((sum, { seconds = 0 }) => sum + seconds, 0);
  const seconds = Math.max(0, Math.ceil((now.getTime() - submittedAt.getTime()) / 1000 - before));
  return { status: outcome, id, phases: [...ended, { type: 'BUILD', status: outcome, seconds }] };
}

const hasEnded = ({ status }: RunningBuild): boolean => status !== 'QUEUED' && status !== 'RUNNING';

/** Waits for the result of a build of this age until CodeBuild is to be polled again. */
async function awaitResult(deps: WatchDeps, deploymentId: string, age: number): Promise<void> {
  const until = deps.now().getTime() + pollDelay(age);
  while (deps.now().getTime() < until) {
    await deps.pause(Math.min(resultPollDelay(age), until - deps.now().getTime()));
    if (await deps.builds.readResult(deploymentId)) return;
  }
}

/**
 * Polls a build until its builder reports a result, the build ends, or `TIMEOUTS_S.build.watch` passes. For a build that still waits for a
 * builder, returns a pause after which the execution calls again. A build that CodeBuild does not end in time, or does not know, is a
 * fault of CodeBuild.
 */
export async function watchBuild(
  deps: WatchDeps,
  { build: { id }, deploymentId }: z.output<typeof WatchInput>,
): Promise<Build> {
  const until = deps.now().getTime() + T.watch * 1000;
  // The scheduler may admit the next build as soon as this one has its builder.
  let isNextCleared = false;
  for (;;) {
    const [found, result] = await Promise.all([deps.buildRunner.find(id), deps.builds.readResult(deploymentId)]);
    if (found?.status !== 'QUEUED' && !isNextCleared) {
      await clearNextBuild(deps, deploymentId);
      isNextCleared = true;
    }
    if (result) return endWithResult(id, found, result, deps.now());
    if (!found) return { status: 'FAULT', id, phases: [] };
    const { status, phases, submittedAt } = found;
    if (hasEnded(found)) return { status, id, phases };
    const now = deps.now().getTime();
    const age = Math.max(0, now - submittedAt.getTime());
    if (age > T.whole * 1000) {
      await deps.buildRunner.stop(id);
      return { status: 'FAULT', id, phases };
    }
    if (status === 'QUEUED' && age >= BUILDER_START_MS)
      return { status, id, phases, pause: queuePause(age), waited: Math.round(age / 1000) };
    if (now + pollDelay(age) > until) return { status: 'RUNNING', id, phases };
    if (status === 'QUEUED') await deps.pause(pollDelay(age));
    else await awaitResult(deps, deploymentId, age);
  }
}
