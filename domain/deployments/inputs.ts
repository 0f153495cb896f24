import * as z from 'zod/mini';

export const DeploymentInput = z.object({ accountId: z.string(), applicationId: z.string(), deploymentId: z.string() });
export type DeploymentIds = z.output<typeof DeploymentInput>;

/** The input of a catching state: the error's name and, mostly, a JSON text. */
export const Caught = z.object({ Error: z._default(z.string(), 'Unknown'), Cause: z._default(z.string(), '') });

/** A phase of a build as CodeBuild reports it; Step Functions capitalizes its fields. */
const Phase = z.object({
  PhaseType: z.string(),
  PhaseStatus: z.optional(z.string()),
  /** Seconds; absent for a phase that has not ended. */
  DurationInSeconds: z.optional(z.number()),
});
export const BuildOutput = z.object({ phases: z.optional(z.array(Phase)) });
export const ReleaseInput = z.extend(DeploymentInput, { build: z.optional(BuildOutput) });

/** The end of a failed deployment: the verdict of a step, or an error that the execution caught. */
export const FailureInput = z.extend(DeploymentInput, {
  step: z.optional(z.object({ failed: z.boolean(), reason: z.optional(z.string()) })),
  error: z.optional(Caught),
});
