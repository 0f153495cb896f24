import type * as z from 'zod/mini';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import type { Builds, Result } from '../../providers/builds/builds.ts';
import { PLATFORM_FAULT, timeLimitExceeded } from '../../providers/builds/failures.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import type { Deps } from '../deps.ts';
import { foundNoBuilder, measureBuild } from './build-time.ts';
import { recordDetected } from './detected.ts';
import { failDeployment } from './finish.ts';
import type { BuildOutput, FailureInput } from './inputs.ts';

const T = TIMEOUTS_S.build;

/** Builds that are submitted again: until which age of the deployment in milliseconds, and after how many seconds. */
const AGAIN: Partial<Record<BuildEnd, { maxMs: number; pause: number }>> = {
  UNBUILT: { maxMs: T.wait * 1000, pause: T.pause },
  FAULT: { maxMs: T.project * 1000, pause: T.faultPause },
};
const NO_BUILDER = `No builder became free within ${T.wait / 3600} hours. Deploying again is safe.`;
/** Reasons where the builder gave none. */
const REASONS: Partial<Record<BuildEnd, string>> = { TIMED_OUT: timeLimitExceeded(T.builder) };

/** Result of recording a failure. `again`: the build has to be submitted again, after `pause` seconds. */
export interface RecordedFailure {
  again: boolean;
  pause?: number;
  /** True if the platform failed, not the application. */
  fault: boolean;
}

/**
 * Ends a deployment whose step gave a verdict, whose execution caught an error or whose build failed, with a reason that
 * its owner understands. A build that found no builder has not failed: it is submitted again until it waited for too long.
 */
export async function recordFailure(
  deps: Deps & { builds: Builds },
  { step, error, build = {}, ...ids }: z.output<typeof FailureInput>,
): Promise<RecordedFailure> {
  const { accountId, deploymentId } = ids;
  const verdict = [step, build].find((each) => each?.failed);
  // An error is newer than the build that it follows.
  const end = verdict || error ? 'OTHER' : endOf(build);
  const again = AGAIN[end];
  if (again) {
    const deployment = await deps.table.get(Deployment, { accountId, id: deploymentId });
    const age = deps.now().getTime() - Date.parse(deployment?.beganAt ?? '');
    if (age < again.maxMs) return { again: true, fault: false, pause: again.pause };
  }
  const result = (await deps.builds.readResult(deploymentId)) ?? {};
  const { commitSha, detected } = result;
  await recordDetected(deps, ids, detected);
  const { reason, fault } = causeOf(end, verdict?.reason === undefined ? result : { error: verdict.reason });
  const known = { ...(commitSha ? { commitSha } : {}), ...(again ? { buildMs: 0 } : measureBuild(build)) };
  await failDeployment(deps, ids, reason, known);
  return { again: false, fault };
}

/** Returns why a deployment failed, and whether the platform did. */
function causeOf(end: BuildEnd, { error, fault = false }: Result): { reason: string; fault: boolean } {
  if (end === 'UNBUILT') return { reason: NO_BUILDER, fault: true };
  if (error !== undefined) return { reason: error, fault };
  const reason = REASONS[end];
  return reason === undefined ? { reason: PLATFORM_FAULT, fault: true } : { reason, fault: false };
}

/** The end of a failed deployment's build: without a builder, by CodeBuild's fault, after too long, or in another way. */
type BuildEnd = 'UNBUILT' | 'FAULT' | 'TIMED_OUT' | 'OTHER';

function endOf(build: z.output<typeof BuildOutput>): BuildEnd {
  if (build.status === 'REFUSED' || foundNoBuilder(build)) return 'UNBUILT';
  return build.status === 'FAULT' || build.status === 'TIMED_OUT' ? build.status : 'OTHER';
}
