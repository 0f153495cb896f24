import { submitBuild } from '../../domain/deployments/build.ts';
import { SubmitInput } from '../../domain/deployments/inputs.ts';
import { withVerdict } from '../../domain/deployments/verdict.ts';
import { buildRegion, buildRunner } from '../../runtime/bindings/build-runner.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Submits the build of a deployment to CodeBuild. Returns its id, or the reason why the deployment ends. */
export const handler = step(SubmitInput, (input) =>
  withVerdict(submitBuild, { ...deps, buildRunner, buildRegion }, input),
);
