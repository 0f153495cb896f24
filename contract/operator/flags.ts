import * as z from 'zod/mini';
import { list, resource, single } from '../envelope.ts';
import { route } from '../route.ts';
import { FLAG_NAMES } from '../switches/flags.ts';
import { OPERATOR_TAG } from './accounts.ts';
import { Reason } from './actions.ts';

/** A feature flag, and the accounts for which it is on. */
const Flag = resource('Flag', () =>
  z.object({
    name: z.enum(FLAG_NAMES),
    label: z.string(),
    does: z.string(),
    owner: z.string(),
    ends: z.string().register(z.globalRegistry, { description: 'The day from which the flag is overdue' }),
    expired: z.boolean(),
    default: z.boolean(),
    share: z
      .nullable(z.int())
      .register(z.globalRegistry, { description: 'Percentage of accounts for which it is on; null for the default' }),
    accounts: z
      .array(z.object({ accountId: z.string(), on: z.boolean() }))
      .register(z.globalRegistry, { description: 'Accounts for which it is set, regardless of the share' }),
  }),
);

/** A change of a flag: for all accounts or for one, or of its owner or its end. */
export const FlagChange = () =>
  z
    .object({
      ...Reason(),
      share: z.optional(z.nullable(z.int().check(z.minimum(0), z.maximum(100)))).register(z.globalRegistry, {
        description: 'Percentage of accounts: 100 turns it on, 0 off for all; null returns to the default',
      }),
      accountId: z.optional(z.string().check(z.minLength(1), z.maxLength(64))),
      on: z
        .optional(z.nullable(z.boolean()))
        .register(z.globalRegistry, { description: 'For this account; null returns to the share' }),
      owner: z
        .optional(z.nullable(z.string().check(z.trim(), z.minLength(1), z.maxLength(64))))
        .register(z.globalRegistry, {
          description: 'The owner, who decides about the flag and removes it; null returns to the original owner',
        }),
      ends: z.optional(z.nullable(z.iso.date())).register(z.globalRegistry, {
        description: 'The day from which the flag is overdue; null returns to the original day',
      }),
    })
    .check(
      z.refine(
        ({ share, accountId, on, owner, ends }) =>
          (accountId === undefined) === (on === undefined) &&
          (accountId === undefined || share === undefined) &&
          [share, accountId, owner, ends].some((given) => given !== undefined),
        'give either share, or accountId with on, or owner or ends',
      ),
    );

const access = 'operator';
const tag = OPERATOR_TAG;

export const listFlags = /* @__PURE__ */ route({
  id: 'listFlags',
  method: 'GET',
  path: '/operator/v1/flags',
  access,
  summary: 'List the feature flags, with their owners and ends',
  tag,
  response: () => list(Flag()),
});

export const setFlag = /* @__PURE__ */ route({
  id: 'setFlag',
  method: 'PUT',
  path: '/operator/v1/flags/{name}',
  access,
  audit: 'flag.set',
  summary: 'Turn a feature flag on or off for all accounts, for a share of them, or for one',
  tag,
  params: () => z.object({ name: z.enum(FLAG_NAMES) }),
  body: FlagChange,
  response: () => single(Flag()),
});
