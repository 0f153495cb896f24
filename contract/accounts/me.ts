import * as z from 'zod/mini';
import { describe, single, Timestamp } from '../envelope.ts';
import { MEMBER_ROLES } from '../roles.ts';
import { route } from '../route.ts';
import { SWITCH_NAMES } from '../switches/switches.ts';
import { Account } from './accounts.ts';

/** Roles of a login: one in its account; operators of the platform have a second one. */
const ROLES = [...MEMBER_ROLES, 'operator'] as const;

export const getMe = /* @__PURE__ */ route({
  id: 'getMe',
  method: 'GET',
  path: '/dashboard/v1/me',
  access: 'login',
  right: 'member',
  summary: 'Read the account you are logged in to, and your roles in it',
  tag: 'Account',
  // The login may be a member of other accounts, between which this lets it switch.
  whileSuspended: true,
  response: () =>
    single(
      z.object({
        account: Account(),
        /** The reason for which the account is suspended: other operations are refused with it. */
        suspensionReason: z.nullable(z.string()),
        roles: z.array(z.enum(ROLES)),
        login: z.object({ id: z.string(), email: z.nullable(z.string()) }),
        /** The accounts that the login is a member of, its own first. */
        accounts: z.array(z.object({ id: z.string(), name: z.string(), role: z.enum(MEMBER_ROLES) })),
        /** Unread notifications for this login, as far as they are counted. */
        unreadNotifications: z.int(),
        /** True once the account has AI credits: the dashboard's first steps read everything else from `account`. */
        hasAiCredits: z.boolean(),
        notices: describe(
          z.array(z.object({ name: z.enum(SWITCH_NAMES), message: z.string(), since: Timestamp() })),
          'What operators have switched off, with their messages',
        ),
      }),
    ),
});
