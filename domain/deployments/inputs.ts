import * as z from 'zod/mini';

export const DeploymentInput = z.object({ accountId: z.string(), applicationId: z.string(), deploymentId: z.string() });
export type DeploymentIds = z.output<typeof DeploymentInput>;

/** The input of a catching state: the error's name and, mostly, a JSON text. */
export const Caught = z.object({ Error: z._default(z.string(), 'Unknown'), Cause: z._default(z.string(), '') });
export const FailureInput = z.extend(DeploymentInput, { error: Caught });
