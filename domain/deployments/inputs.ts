import * as z from 'zod/mini';

export const DeploymentInput = z.object({ accountId: z.string(), applicationId: z.string(), deploymentId: z.string() });
export type DeploymentIds = z.output<typeof DeploymentInput>;

/** The input of a catching state: the error's name and, mostly, a JSON text. */
export const Caught = z.object({ Error: z._default(z.string(), 'Unknown'), Cause: z._default(z.string(), '') });

const Phase = z.object({ type: z.string(), status: z.optional(z.string()), seconds: z.optional(z.number()) });
/**
 * A deployment's build in the execution's state. `REFUSED`: CodeBuild did not accept it. `failed`: the deployment ends
 * with `reason`, whatever becomes of the build.
 */
export const BuildOutput = z.object({
  status: z.optional(z.string()),
  id: z.optional(z.string()),
  phases: z.optional(z.array(Phase)),
  failed: z.optional(z.boolean()),
  reason: z.optional(z.string()),
});
export const SubmitInput = z.extend(DeploymentInput, { step: z.object({ jobUrl: z.string() }) });
export const WatchInput = z.extend(DeploymentInput, { build: z.object({ id: z.string() }) });
export const ReleaseInput = z.extend(DeploymentInput, { build: z.optional(BuildOutput) });

/** The end of a failed deployment: the verdict of a step, an error that the execution caught, or the end of its build. */
export const FailureInput = z.extend(DeploymentInput, {
  step: z.optional(z.object({ failed: z.boolean(), reason: z.optional(z.string()) })),
  error: z.optional(Caught),
  build: z.optional(BuildOutput),
});
