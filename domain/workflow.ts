import * as z from 'zod/mini';
import { SCOPES } from '../contract/route.ts';

/** The inputs of what is started from inside: workflows, queues and operators' tools. */
export const DeploymentInput = z.object({ accountId: z.string(), applicationId: z.string(), deploymentId: z.string() });
export type DeploymentIds = z.output<typeof DeploymentInput>;
export const TeardownInput = z.object({
  accountId: z.string(),
  applicationId: z.string(),
  /** The deployment that was under way. */
  deploymentId: z.optional(z.string()),
});

export const HostingInput = z.object({ accountId: z.string(), subscriptionId: z.string() });
export const MoveHostingInput = z.extend(HostingInput, { server: z.string() });
export const DomainInput = z.object({ accountId: z.string(), domainId: z.string() });

export const DoorInput = z.object({ host: z.string(), token: z.string() });

export const DatabaseInput = z.object({ applicationId: z.string(), prefix: z.string() });

/** What asks for an attempt at a delivery. */
export const DeliveryInput = z.object({
  accountId: z.string(),
  webhookId: z.string(),
  eventId: z.string(),
  deliveryId: z.string(),
  serial: z.int(),
});

/** What Step Functions hands to the catching state: the error's name and, mostly, a JSON text. */
export const Caught = z.object({ Error: z._default(z.string(), 'Unknown'), Cause: z._default(z.string(), '') });
export const FailureInput = z.extend(DeploymentInput, { error: Caught });

export const NewAccountInput = z.object({
  email: z.email(),
  name: z.string().check(z.minLength(1)),
  plan: z.object({ slug: z.string(), name: z.string(), appLimit: z.int().check(z.minimum(0)) }),
  walletCents: z._default(z.int().check(z.minimum(0)), 0),
  /** The login that it opens to: what the issuer of logins calls its owner (`sub`). */
  login: z.optional(z.string().check(z.minLength(1))),
  /** AI credits to begin with, in millionths of a rand. */
  aiCreditsMicroRand: z._default(z.int().check(z.minimum(0)), 0),
  keys: z._default(
    z.array(
      z.object({
        name: z.string(),
        scopes: z.array(z.enum(SCOPES)),
        allowedOrigins: z.optional(z.array(z.string())),
        expiresAt: z.optional(z.iso.datetime()),
        revoked: z.optional(z.boolean()),
      }),
    ),
    [],
  ),
});
