import * as z from 'zod/mini';
import { describe, single, Timestamp } from '../envelope.ts';
import { MEMBER_ROLES } from '../roles.ts';
import { route } from '../route.ts';
import { SWITCH_NAMES } from '../switches/switches.ts';
import { Account } from './accounts.ts';

/** Roles of a login: its role in the account, and `operator` for operators of the platform. */
const ROLES = [...MEMBER_ROLES, 'operator'] as const;

export const getMe = /* @__PURE__ */ route({
  id: 'getMe',
  method: 'GET',
  path: '/dashboard/v1/me',
  access: 'login',
  right: 'member',
  summary: 'Read the account you are logged in to, and your roles in it',
  tag: 'Account',
  // The login may be a member of other accounts. It needs their list to switch to one of them.
  whileSuspended: true,
  response: () =>
    single(
      z.object({
        account: Account(),
        /** The reason for the account's suspension, with which other operations are refused; null if it is not suspended. */
        suspensionReason: z.nullable(z.string()),
        roles: z.array(z.enum(ROLES)),
        login: z.object({ id: z.string(), email: z.nullable(z.string()) }),
        /** The accounts that the login is a member of, its own first. */
        accounts: z.array(z.object({ id: z.string(), name: z.string(), role: z.enum(MEMBER_ROLES) })),
        /** This login's unread notifications among the newest MAX_NOTIFICATIONS. */
        unreadNotifications: z.int(),
        /** True once the account has AI credits. The dashboard's first steps need it; the rest is in `account`. */
        hasAiCredits: z.boolean(),
        notices: describe(
          z.array(z.object({ name: z.enum(SWITCH_NAMES), message: z.string(), since: Timestamp() })),
          'Parts of the platform that operators have switched off, each with its message',
        ),
      }),
    ),
});
