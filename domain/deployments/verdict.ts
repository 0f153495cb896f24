import type { Deps } from '../deps.ts';
import type { DeploymentIds } from './inputs.ts';
import { DeploymentError, readRunning } from './release.ts';

/** The result of a step: `reason` is what the application's owner reads. The state machine chooses what follows. */
type Verdict = { failed: false } | { failed: true; reason: string };

/**
 * Runs a step of a deployment. A failure that its owner caused is a verdict and no error: errors are the platform's
 * own, and alarm its operators. What breaks because the application was deleted or suspended during the step is the
 * owner's doing, whatever it looks like.
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

/** Returns why a deployment must not go on; undefined if it may, or if that cannot be read. */
async function reasonToStop(deps: Deps, ids: DeploymentIds): Promise<string | undefined> {
  try {
    await readRunning(deps, ids);
    return undefined;
  } catch (error) {
    return error instanceof DeploymentError ? error.message : undefined;
  }
}
