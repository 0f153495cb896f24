import type * as z from 'zod/mini';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import type { Builds } from '../../providers/builds/builds.ts';
import { PLATFORM_FAULT, timeLimitExceeded } from '../../providers/builds/failures.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import type { Deps } from '../deps.ts';
import { foundNoBuilder, measureBuild } from './build-time.ts';
import { recordDetected } from './detected.ts';
import { failDeployment } from './finish.ts';
import type { FailureInput } from './inputs.ts';

const T = TIMEOUTS_S.build;
const MAX_WAIT_MS = T.wait * 1000;
/** As long a deployment's build is submitted again after a fault of CodeBuild. */
const MAX_FAULT_MS = T.project * 1000;

const NO_BUILDER = `No builder became free within ${T.wait / 3600} hours. Deploying again is safe.`;

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
  const isBuild = !verdict && !error;
  const isUnbuilt = isBuild && (build.status === 'REFUSED' || foundNoBuilder(build));
  const isFault = isBuild && build.status === 'FAULT';
  if (isUnbuilt || isFault) {
    const deployment = await deps.table.get(Deployment, { accountId, id: deploymentId });
    const age = deps.now().getTime() - Date.parse(deployment?.beganAt ?? '');
    const [maxAge, pause] = isFault ? [MAX_FAULT_MS, T.faultPause] : [MAX_WAIT_MS, T.pause];
    if (age < maxAge) return { again: true, fault: false, pause };
  }
  const { error: buildError, commitSha, detected } = (await deps.builds.readResult(deploymentId)) ?? {};
  await recordDetected(deps, ids, detected);
  const reason = verdict
    ? verdict.reason
    : isUnbuilt
      ? NO_BUILDER
      : (buildError ?? (isBuild && build.status === 'TIMED_OUT' ? timeLimitExceeded(T.builder) : PLATFORM_FAULT));
  const measured = isUnbuilt || isFault ? { buildMs: 0 } : measureBuild(build);
  const known = { ...(commitSha ? { commitSha } : {}), ...measured };
  await failDeployment(deps, ids, reason ?? PLATFORM_FAULT, known);
  return { again: false, fault: reason === PLATFORM_FAULT || reason === NO_BUILDER };
}
