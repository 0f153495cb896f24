import type { Deps } from '../deps.ts';
import type { DeploymentIds } from './inputs.ts';
import { DeploymentError, readRunning } from './release.ts';

/** The result of a step. `reason` is shown to the application's owner. The state machine chooses the next state by `failed`. */
type Verdict = { failed: false } | { failed: true; reason: string };

/**
 * Runs a step of a deployment. A failure that the owner caused becomes a verdict; errors are faults of the platform and alarm its
 * operators. Any error counts as caused by the owner if the application was deleted or suspended during the step.
 */
export async function withVerdict<D extends Deps, I extends DeploymentIds>(
  act: (deps: D, ids: I) => Promise<unknown>,
  deps: D,
  ids: I,
): Promise<Verdict> {
  try {
    const output = await act(deps, ids);
    return { ...(typeof output === 'object' ? output : {}), failed: false };
  } catch (error) {
    const reason = error instanceof DeploymentError ? error.message : await reasonToStop(deps, ids);
    if (reason === undefined) throw error;
    return { failed: true, reason };
  }
}

/** Returns the reason why a deployment must stop; undefined if it may continue, or if its state cannot be read. */
async function reasonToStop(deps: Deps, ids: DeploymentIds): Promise<string | undefined> {
  try {
    await readRunning(deps, ids);
    return undefined;
  } catch (error) {
    return error instanceof DeploymentError ? error.message : undefined;
  }
}
