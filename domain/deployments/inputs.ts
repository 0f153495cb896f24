import * as z from 'zod/mini';

export const DeploymentInput = z.object({ accountId: z.string(), applicationId: z.string(), deploymentId: z.string() });
export type DeploymentIds = z.output<typeof DeploymentInput>;

/** The error that a state caught: its name and its cause, usually JSON. */
export const Caught = z.object({ Error: z._default(z.string(), 'Unknown'), Cause: z._default(z.string(), '') });

const Phase = z.object({ type: z.string(), status: z.optional(z.string()), seconds: z.optional(z.number()) });
/**
 * A deployment's build in the execution's state. Status `REFUSED` means that CodeBuild did not accept it. If `failed` is true, the
 * deployment ends with `reason`, whatever the build's status.
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

/** The cause of a failed deployment: the verdict of a step, an error that the execution caught, or the end of its build. */
export const FailureInput = z.extend(DeploymentInput, {
  step: z.optional(z.object({ failed: z.boolean(), reason: z.optional(z.string()) })),
  error: z.optional(Caught),
  build: z.optional(BuildOutput),
});
