import type * as z from 'zod/mini';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { WAITING_PHASES } from '../../providers/builds/build-runner.ts';
import type { Deployment } from '../../table/entities/deployments.ts';
import type { BuildOutput } from './inputs.ts';

export type BuildPhases = Pick<z.output<typeof BuildOutput>, 'phases'>;

const MAX_BUILD_MS = TIMEOUTS_S.build.project * 1000;

/** Returns the duration of a build in milliseconds, without its wait for a builder; an empty object if CodeBuild reports no phases. */
export function measureBuild(build: BuildPhases | undefined): { buildMs?: number } {
  if (!build?.phases) return {};
  const seconds = build.phases
    .filter(({ type }) => !WAITING_PHASES.includes(type))
    .reduce((sum, phase) => sum + (phase.seconds ?? 0), 0);
  return { buildMs: seconds * 1000 };
}

/** True if a build timed out in CodeBuild's queue, without a builder. */
export const foundNoBuilder = (build: BuildPhases | undefined): boolean =>
  build?.phases?.some(({ type, status }) => type === 'QUEUED' && status === 'TIMED_OUT') ?? false;

/**
 * Returns the duration of a deployment's build that counts towards the account's build minutes, in milliseconds. A build that
 * was stopped has no measurement: its time since submission counts, up to the longest allowed duration of a build.
 */
export function billedBuildMs({ beganAt, builtAt, buildMs }: Deployment, now: Date): number | undefined {
  if (!beganAt) return undefined;
  if (buildMs !== undefined) return buildMs;
  return Math.min((builtAt ? Date.parse(builtAt) : now.getTime()) - Date.parse(beganAt), MAX_BUILD_MS);
}
