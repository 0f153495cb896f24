import * as z from 'zod/mini';
import { Money, resource, single, Timestamp } from '../envelope.ts';
import { LimitsSchema, UsageSchema } from '../limits/limits.ts';
import { route } from '../route.ts';

/** An account (specification, Resources: Account). Fields other than `email` and `walletBalance` are additions. */
export const Account = resource('Account', () =>
  z.object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    walletBalance: Money(),
    plan: z.object({ slug: z.string(), name: z.string(), appLimit: z.int() }),
    limits: LimitsSchema(),
    usage: UsageSchema(),
    /** Present while the account has more applications than its plan allows. At `suspendsAt`, the newest ones are suspended. */
    planLimitExceeded: z.optional(
      z.object({ appLimit: z.int(), applications: z.int(), suspendsAt: z.nullable(Timestamp()) }),
    ),
    /** Present after a request to delete the account, which can be cancelled until `endsAt`. */
    deletion: z.optional(z.object({ requestedAt: Timestamp(), endsAt: Timestamp() })),
    createdAt: Timestamp(),
  }),
);

export const getAccount = /* @__PURE__ */ route({
  id: 'getAccount',
  method: 'GET',
  path: '/v1/account',
  access: 'any',
  right: 'member',
  summary: 'Read your account',
  tag: 'Account',
  response: () => single(Account()),
});
