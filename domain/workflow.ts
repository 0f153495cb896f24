import * as z from 'zod';
import { SCOPES } from '../contract/route.ts';

/** The inputs of what is started from inside: workflows and operators' tools. */
export const DeploymentInput = z.object({ accountId: z.string(), applicationId: z.string(), deploymentId: z.string() });
export const TeardownInput = z.object({ accountId: z.string(), applicationId: z.string() });

/** What Step Functions hands to the catching state: the error's name and, mostly, a JSON text. */
export const Caught = z.object({ Error: z.string().default('Unknown'), Cause: z.string().default('') });
export const FailureInput = DeploymentInput.extend({ error: Caught });

export const NewAccountInput = z.object({
  email: z.email(),
  name: z.string().min(1),
  plan: z.object({ slug: z.string(), name: z.string(), appLimit: z.int().min(0) }),
  walletCents: z.int().min(0).default(0),
  keys: z
    .array(
      z.object({
        name: z.string(),
        scopes: z.array(z.enum(SCOPES)),
        allowedOrigins: z.array(z.string()).optional(),
        expiresAt: z.iso.datetime().optional(),
        revoked: z.boolean().optional(),
      }),
    )
    .max(20)
    .default([]),
});
