import * as z from 'zod/mini';
import { MEMBER_ROLES } from '../../contract/roles.ts';
import { entity, type ItemOf, object, oneOf } from '../entity.ts';
import { joinKey as key } from '../keys.ts';

/**
 * The members and open invitations of an account. They are one item, so that a condition on its version ensures that an account keeps
 * an owner and that an invitation is used only once. Absent while the only member is the login that opened the account.
 */
export type Team = ItemOf<typeof Team>;
export const Team = /* @__PURE__ */ entity({
  type: 'TEAM',
  schema: () =>
    z.object({
      accountId: z.string(),
      /** The version of the item. A write requires the version that it read. */
      version: z.int(),
      members: z.array(
        object({
          /** The issuer's id of the login. */
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
          /** The email with its own link; absent until it is sent, and if none is to be sent. */
          mail: z.optional(
            object({
              /** SHA-256 of the secret in the email's link. */
              hash: z.string(),
              sentAt: z.optional(z.string()),
              /** While it is being sent: the time at which its sender is considered crashed. */
              claimedUntil: z.optional(z.string()),
            }),
          ),
          /** The email address of the inviting owner; null if it is unknown. */
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
