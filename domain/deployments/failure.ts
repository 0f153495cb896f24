import type * as z from 'zod/mini';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import type { Builds, Result } from '../../providers/builds/builds.ts';
import { PLATFORM_FAULT, timeLimitExceeded } from '../../providers/builds/failures.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import type { Deps } from '../deps.ts';
import { HOUR_MS } from '../time.ts';
import { foundNoBuilder, measureBuild } from './build-time.ts';
import { NOT_PUBLISHED } from './deployment.ts';
import { recordDetected } from './detected.ts';
import { failDeployment } from './finish.ts';
import type { BuildOutput, DeploymentIds, FailureInput } from './inputs.ts';

const T = TIMEOUTS_S.build;

/** Builds that are submitted again: the deployment's maximum age in milliseconds, and the pause before the submission in seconds. */
const RESUBMISSIONS: Partial<Record<BuildEnd, { maxMs: number; pause: number }>> = {
  UNBUILT: { maxMs: T.wait * 1000, pause: T.pause },
  FAULT: { maxMs: T.project * 1000, pause: T.faultPause },
};
/** The publishing of a release that may receive traffic already: the longest time in milliseconds, and the pause after errors in seconds. */
const PUBLISHING = { maxMs: HOUR_MS, pause: 60 };
const NO_BUILDER = `No builder became free within ${T.wait / 3600} hours. Deploying again is safe.`;
/** Reasons for failures without a reason from the builder. */
const REASONS: Partial<Record<BuildEnd, string>> = { TIMED_OUT: timeLimitExceeded(T.builder) };

/** Result of recording a failure. `again` is true if the build must be submitted again, after `pause` seconds. */
export interface RecordedFailure {
  again: boolean;
  pause?: number;
  /** True if the release may receive traffic already: it must be published again after `pause` seconds. */
  publish?: boolean;
  /** True if the platform failed, not the application. */
  fault: boolean;
}

/**
 * Ends a deployment whose step returned a failed verdict, whose execution caught an error or whose build failed, with a reason for
 * its owner. A build that found no builder has not failed: it is submitted again until it has waited for too long. Nor has a release that
 * began to receive traffic and could not be published: its deployment succeeds with it, or fails when that is not possible for too long.
 */
export async function recordFailure(
  deps: Deps & { builds: Builds },
  { step, error, build = {}, ...ids }: z.output<typeof FailureInput>,
): Promise<RecordedFailure> {
  const { accountId, deploymentId } = ids;
  const verdict = [step, build].find((result) => result?.failed);
  // An error was caught after the build, so it takes precedence.
  const end = verdict || error ? 'OTHER' : endOf(build);
  const resubmission = RESUBMISSIONS[end];
  if (resubmission) {
    const deployment = await deps.table.get(Deployment, { accountId, id: deploymentId });
    const age = deps.now().getTime() - Date.parse(deployment?.beganAt ?? '');
    if (age < resubmission.maxMs) return { again: true, fault: false, pause: resubmission.pause };
  }
  const switchingAt = error && !verdict ? await readSwitching(deps, ids) : undefined;
  if (switchingAt !== undefined && deps.now().getTime() - Date.parse(switchingAt) < PUBLISHING.maxMs)
    return { again: false, publish: true, fault: false, pause: PUBLISHING.pause };
  const result = (await deps.builds.readResult(deploymentId)) ?? {};
  const { commitSha, detected } = result;
  await recordDetected(deps, ids, detected);
  const published = switchingAt === undefined ? result : { error: NOT_PUBLISHED, fault: true };
  const { reason, fault } = causeOf(end, verdict?.reason === undefined ? published : { error: verdict.reason });
  const known = { ...(commitSha ? { commitSha } : {}), ...(resubmission ? { buildMs: 0 } : measureBuild(build)) };
  await failDeployment(deps, ids, reason, known);
  return { again: false, fault };
}

/** Returns the time at which the release of an unfinished deployment began to receive traffic; undefined if it has not. */
async function readSwitching({ table }: Deps, ids: DeploymentIds): Promise<string | undefined> {
  const deployment = await table.get(Deployment, { accountId: ids.accountId, id: ids.deploymentId });
  return deployment?.finishedAt === null ? deployment.switchingAt : undefined;
}

/** Returns the reason why a deployment failed, and whether the platform is at fault. */
function causeOf(end: BuildEnd, { error, fault = false }: Result): { reason: string; fault: boolean } {
  if (end === 'UNBUILT') return { reason: NO_BUILDER, fault: true };
  if (error !== undefined) return { reason: error, fault };
  const reason = REASONS[end];
  return reason === undefined ? { reason: PLATFORM_FAULT, fault: true } : { reason, fault: false };
}

/** The way in which a failed deployment's build ended: without a builder, by a fault of CodeBuild, by its timeout, or otherwise. */
type BuildEnd = 'UNBUILT' | 'FAULT' | 'TIMED_OUT' | 'OTHER';

function endOf(build: z.output<typeof BuildOutput>): BuildEnd {
  if (build.status === 'REFUSED' || foundNoBuilder(build)) return 'UNBUILT';
  return build.status === 'FAULT' || build.status === 'TIMED_OUT' ? build.status : 'OTHER';
}
