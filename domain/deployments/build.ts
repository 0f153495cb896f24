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
/** Waits of less are the start of a builder: looking on costs less than a pause of the execution. */
const START_MS = 10_000;

/** A deployment's build as its execution passes it on: what CodeBuild reports, or `REFUSED`. */
export type Build =
  | { status: 'REFUSED' }
  | (Pick<RunningBuild, 'status' | 'phases'> & {
      id: string;
      /** Seconds until the next look at a build that is `QUEUED`, and of its wait so far. */
      pause?: number;
      waited?: number;
    });

/**
 * Submits the build of a job. Repeating it within minutes is the same build. A deployment that ended meanwhile, or whose
 * application was deleted or suspended, has no build: it is stopped here, or by the step that reads its id from the table.
 */
export async function submitBuild(
  deps: Deps & { buildRunner: BuildRunner; buildRegion: string },
  { step: { jobUrl }, ...ids }: z.output<typeof SubmitInput>,
): Promise<Build> {
  const { accountId, deploymentId } = ids;
  const off = (await deps.table.get(SwitchState, {}))?.off ?? {};
  // A build that is refused is submitted again, as where no builder is free.
  if (messageOf(off, 'build-region', deps.buildRegion) !== undefined) return { status: 'REFUSED' };
  const id = await deps.buildRunner.start(deploymentId, jobUrl);
  if (id === undefined) return { status: 'REFUSED' };
  try {
    const what = { set: { buildId: id }, when: { status: { is: 'RUNNING' } } } as const;
    await deps.table.write(Deployment, change(Deployment, { accountId, id: deploymentId }, what, alreadyEnded));
    // Who stops a deployment changes the application first and reads the build's id after that.
    await readRunning(deps, ids);
  } catch (error) {
    await deps.buildRunner.stop(id);
    throw error;
  }
  return { status: 'RUNNING', id, phases: [] };
}

/**
 * Milliseconds until CodeBuild is asked again: a tenth of the time so far. It takes a limited number of calls a second, for all builds together.
 */
const nextLook = (age: number): number => Math.min(Math.max(age / 10, 250), 5000);

/** Seconds that the execution pauses before it looks again at a build that waits for a builder. */
export const queuePause = (age: number): number => Math.min(Math.ceil(age / 10_000), T.queueLook);

/** Milliseconds between two looks for the result of a running build: a fortieth of the time so far, so that a short build waits for none. */
const nextResult = (age: number): number => Math.min(Math.max(age / 40, 50), 250);

type Watched = Deps & {
  buildRunner: BuildRunner;
  builds: Pick<Builds, 'readResult'>;
  pause(ms: number): Promise<unknown>;
};

/**
 * Returns a build whose builder has reported, as ended, whatever becomes of it then: CodeBuild takes some seconds more, and the builder may
 * still store what the next build takes from the cache. What has passed so far is the time of the build.
 */
function reported(id: string, found: RunningBuild | undefined, { error }: Result, now: Date): Build {
  const end = error === undefined ? 'SUCCEEDED' : 'FAILED';
  const { status, phases = [], submittedAt = now } = found ?? {};
  if (status !== 'RUNNING') return { status: end, id, phases };
  const ended = phases.filter(({ seconds }) => seconds !== undefined);
  const before = ended.reduce((sum, { seconds = 0 }) => sum + seconds, 0);
  const seconds = Math.max(0, Math.ceil((now.getTime() - submittedAt.getTime()) / 1000 - before));
  return { status: end, id, phases: [...ended, { type: 'BUILD', status: end, seconds }] };
}

const hasEnded = ({ status }: RunningBuild): boolean => status !== 'QUEUED' && status !== 'RUNNING';

/** Waits until a build of this age has a result, for as long as CodeBuild is not asked. */
async function awaitResult(deps: Watched, deploymentId: string, age: number): Promise<void> {
  const until = deps.now().getTime() + nextLook(age);
  while (deps.now().getTime() < until) {
    await deps.pause(Math.min(nextResult(age), until - deps.now().getTime()));
    if (await deps.builds.readResult(deploymentId)) return;
  }
}

/**
 * Looks at a build until its builder has reported or it ends, for as long as one look lasts; one that waits for a builder is looked at again after a
 * pause. A build that CodeBuild has not ended in time, or does not know, has failed by CodeBuild's fault.
 */
export async function watchBuild(
  deps: Watched,
  { build: { id }, deploymentId }: z.output<typeof WatchInput>,
): Promise<Build> {
  const until = deps.now().getTime() + T.watch * 1000;
  // The next build may be submitted as soon as this one has its builder.
  let isFree = false;
  for (;;) {
    const [found, result] = await Promise.all([deps.buildRunner.find(id), deps.builds.readResult(deploymentId)]);
    if (found?.status !== 'QUEUED' && !isFree) {
      await clearNextBuild(deps, deploymentId);
      isFree = true;
    }
    if (result) return reported(id, found, result, deps.now());
    if (!found) return { status: 'FAULT', id, phases: [] };
    const { status, phases, submittedAt } = found;
    if (hasEnded(found)) return { status, id, phases };
    const now = deps.now().getTime();
    const age = Math.max(0, now - submittedAt.getTime());
    if (age > T.whole * 1000) {
      await deps.buildRunner.stop(id);
      return { status: 'FAULT', id, phases };
    }
    if (status === 'QUEUED' && age >= START_MS)
      return { status, id, phases, pause: queuePause(age), waited: Math.round(age / 1000) };
    if (now + nextLook(age) > until) return { status: 'RUNNING', id, phases };
    if (status === 'QUEUED') await deps.pause(nextLook(age));
    else await awaitResult(deps, deploymentId, age);
  }
}
