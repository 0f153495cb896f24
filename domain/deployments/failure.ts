import * as z from 'zod/mini';
import type { Builds } from '../../providers/builds/builds.ts';
import type { Deps } from '../deps.ts';
import { failDeployment } from './finish.ts';
import type { Caught, DeploymentIds } from './inputs.ts';

const LambdaCause = z.object({ errorType: z.string(), errorMessage: z.string() });

const TIMED_OUT = 'The build took longer than 30 minutes and was stopped.';
const PLATFORM_FAULT = 'Something went wrong on our side. Deploying again is safe.';

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The one sentence for the owner: what the build said, what the check found, or that the fault is the platform's. */
function failureReason({ Error: name, Cause }: z.output<typeof Caught>, buildError: string | undefined): string {
  const thrown = LambdaCause.safeParse(json(Cause));
  if (thrown.success && thrown.data.errorType === 'DeploymentError') return thrown.data.errorMessage;
  if (buildError) return buildError;
  if (name === 'States.Timeout' || /TIMED_OUT/.test(Cause)) return TIMED_OUT;
  return PLATFORM_FAULT;
}

/** Ends a deployment whose execution caught an error, with a reason that its owner understands. */
export async function recordFailure(
  deps: Deps & { builds: Builds },
  ids: DeploymentIds,
  caught: z.output<typeof Caught>,
): Promise<void> {
  const { error, commitSha } = await deps.builds.readResult(ids.deploymentId);
  await failDeployment(deps, ids, failureReason(caught, error), commitSha ? { commitSha } : {});
  // A build that did not begin has not taken its job.
  await deps.builds.removeJob(ids.deploymentId);
}
