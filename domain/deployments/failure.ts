import * as z from 'zod/mini';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import type { Builds } from '../../providers/builds/builds.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import type { Deps } from '../deps.ts';
import { type BuildPhases, foundNoBuilder, measureBuild } from './build-time.ts';
import { recordDetected } from './detected.ts';
import { failDeployment } from './finish.ts';
import { BuildOutput, type Caught, type FailureInput } from './inputs.ts';

const BuildCause = z.object({ Phases: z.optional(z.unknown()), Build: z.optional(z.object({ Phases: z.unknown() })) });

/** A build that was not accepted: five builds wait for each that may run, or CodeBuild cannot be reached. */
const NOT_ACCEPTED = ['CodeBuild.AccountLimitExceededException', 'CodeBuild.SdkClientException'];
const MAX_WAIT_MS = TIMEOUTS_S.build.wait * 1000;
const MINUTES = TIMEOUTS_S.build.project / 60;

const TIMED_OUT = `The build took longer than ${MINUTES} minutes and was stopped.`;
const NO_BUILDER = `No builder became free within ${TIMEOUTS_S.build.wait / 3600} hours. Deploying again is safe.`;
const PLATFORM_FAULT = 'Something went wrong on our side. Deploying again is safe.';

/** Result of recording a failure. `again`: no builder was free and the build has to be submitted again. */
export interface RecordedFailure {
  again: boolean;
  /** True if the platform failed, not the application. */
  fault: boolean;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the phases of a failed build from the cause of the error; undefined if another step failed. */
function phasesOf(cause: unknown): BuildPhases | undefined {
  const { data } = BuildCause.safeParse(cause);
  const found = BuildOutput.safeParse({ phases: data?.Build?.Phases ?? data?.Phases });
  return found.success && found.data.phases ? found.data : undefined;
}

/** The one sentence for the owner: what the build said, what the check found, or that the fault is the platform's. */
function failureReason({ Error: name, Cause }: z.output<typeof Caught>, buildError: string | undefined): string {
  if (buildError) return buildError;
  return name === 'States.Timeout' || /TIMED_OUT/.test(Cause) ? TIMED_OUT : PLATFORM_FAULT;
}

/**
 * Ends a deployment whose step gave a verdict or whose execution caught an error, with a reason that its owner
 * understands. A build that found no builder has not failed: it is submitted again until it waited for too long.
 */
export async function recordFailure(
  deps: Deps & { builds: Builds },
  { step, error: caught, ...ids }: z.output<typeof FailureInput>,
): Promise<RecordedFailure> {
  const { accountId, deploymentId } = ids;
  const error = caught ?? { Error: 'Unknown', Cause: '' };
  const build = phasesOf(json(error.Cause));
  // The error of an earlier attempt stays in the execution's state: a verdict is always newer.
  const isVerdict = step?.failed === true;
  const isUnbuilt = !isVerdict && (NOT_ACCEPTED.includes(error.Error) || foundNoBuilder(build));
  if (isUnbuilt) {
    const deployment = await deps.table.get(Deployment, { accountId, id: deploymentId });
    const waited = deps.now().getTime() - Date.parse(deployment?.beganAt ?? '');
    if (waited < MAX_WAIT_MS) return { again: true, fault: false };
  }
  const { error: buildError, commitSha, detected } = await deps.builds.readResult(deploymentId);
  await recordDetected(deps, ids, detected);
  const reason = isVerdict ? step.reason : isUnbuilt ? NO_BUILDER : failureReason(error, buildError);
  const measured = isVerdict ? {} : isUnbuilt ? { buildMs: 0 } : measureBuild(build);
  const known = { ...(commitSha ? { commitSha } : {}), ...measured };
  await failDeployment(deps, ids, reason ?? PLATFORM_FAULT, known);
  return { again: false, fault: reason === PLATFORM_FAULT || reason === NO_BUILDER };
}
