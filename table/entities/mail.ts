import * as z from 'zod/mini';
import { DAY, entity, epoch, type ItemOf } from '../entity.ts';
import { joinKey as key } from '../keys.ts';

/** One email address that was invited, by the SHA-256 of it: when it was last sent an invitation, and which. */
export type MailAddress = ItemOf<typeof MailAddress>;
export const MailAddress = /* @__PURE__ */ entity({
  type: 'MAIL_ADDRESS',
  schema: () =>
    z.object({
      hash: z.string(),
      /** Time of the last invitation, which is compared in seconds, and the invitation. */
      at: z.string(),
      invitedAtEpoch: z.int(),
      invitedFor: z.string(),
    }),
  key: ({ hash }: { hash: string }) => ({ pk: key('MAIL_ADDRESS', hash), sk: 'MAIL_ADDRESS' }),
  expiresAtEpoch: ({ at }) => epoch(at) + DAY,
});
