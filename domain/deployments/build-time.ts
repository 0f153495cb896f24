import type * as z from 'zod/mini';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import type { Deployment } from '../../table/entities/deployments.ts';
import type { BuildOutput } from './inputs.ts';

export type BuildPhases = z.output<typeof BuildOutput>;

/** Phases before a builder is free. They are the platform's time, not the customer's. */
const WAITING = ['SUBMITTED', 'QUEUED'];
const MAX_BUILD_MS = TIMEOUTS_S.build.project * 1000;

/** Returns the duration of a build in milliseconds, without its wait for a builder; nothing where CodeBuild reports no phases. */
export function measureBuild(build: BuildPhases | undefined): { buildMs?: number } {
  if (!build?.phases) return {};
  const seconds = build.phases
    .filter(({ PhaseType }) => !WAITING.includes(PhaseType))
    .reduce((sum, { DurationInSeconds = 0 }) => sum + DurationInSeconds, 0);
  return { buildMs: seconds * 1000 };
}

/** True if a build ended without a builder: its time in the queue ran out. */
export const foundNoBuilder = (build: BuildPhases | undefined): boolean =>
  build?.phases?.some(({ PhaseType, PhaseStatus }) => PhaseType === 'QUEUED' && PhaseStatus === 'TIMED_OUT') ?? false;

/**
 * Returns the milliseconds of a deployment's build that count towards its account's minutes. A build that was stopped
 * has no measurement; it counts from its submission, at most as long as a build may take.
 */
export function billedBuildMs({ beganAt, builtAt, buildMs }: Deployment, now: Date): number | undefined {
  if (!beganAt) return undefined;
  if (buildMs !== undefined) return buildMs;
  return Math.min((builtAt ? Date.parse(builtAt) : now.getTime()) - Date.parse(beganAt), MAX_BUILD_MS);
}
