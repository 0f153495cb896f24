import * as z from 'zod/mini';
import { MEMBER_ROLES } from '../../contract/roles.ts';
import { entity, type ItemOf, object, oneOf } from '../entity.ts';
import { joinKey as key } from '../keys.ts';

/**
 * The members of an account and its open invitations, in one item: that an account keeps an owner, and that an invitation is used
 * once, are conditions on its version. Absent while the account has the one login that opened it.
 */
export type Team = ItemOf<typeof Team>;
export const Team = /* @__PURE__ */ entity({
  type: 'TEAM',
  schema: () =>
    z.object({
      accountId: z.string(),
      /** Number of writes. A write requires the number that it read. */
      version: z.int(),
      members: z.array(
        object({
          /** The login: what its issuer calls the person. */
          subject: z.string(),
          email: z.string(),
          name: z.string(),
          role: oneOf(MEMBER_ROLES),
          joinedAt: z.string(),
        }),
      ),
      invitations: z.array(
        object({
          id: z.string(),
          email: z.string(),
          role: oneOf(MEMBER_ROLES),
          /** SHA-256 of the secret in the link. */
          hash: z.string(),
          /** The email with a link of its own; absent until one is sent, and where none is to be. */
          mail: z.optional(
            object({
              /** SHA-256 of the secret in the email's link. */
              hash: z.string(),
              sentAt: z.optional(z.string()),
              /** While it is being sent: the time at which its sender counts as dead. */
              claimedUntil: z.optional(z.string()),
            }),
          ),
          /** Email address of the owner who invited; null for logins from before it was kept. */
          invitedBy: z.nullable(z.string()),
          createdAt: z.string(),
          expiresAt: z.string(),
        }),
      ),
    }),
  key: ({ accountId }: { accountId: string }) => ({ pk: key('ACCOUNT', accountId), sk: 'TEAM' }),
});
export type TeamMember = Team['members'][number];
export type TeamInvitation = Team['invitations'][number];
