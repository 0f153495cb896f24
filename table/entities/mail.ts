import * as z from 'zod/mini';
import { DAY, entity, epoch, type ItemOf } from '../entity.ts';
import { joinKey as key } from '../keys.ts';

/** The last invitation that was emailed to an address, which is stored as its SHA-256. */
export type MailAddress = ItemOf<typeof MailAddress>;
export const MailAddress = /* @__PURE__ */ entity({
  type: 'MAIL_ADDRESS',
  schema: () =>
    z.object({
      hash: z.string(),
      /** The time of the last invitation, the same in epoch seconds for conditions, and the invitation's id. */
      at: z.string(),
      invitedAtEpoch: z.int(),
      invitedFor: z.string(),
    }),
  key: ({ hash }: { hash: string }) => ({ pk: key('MAIL_ADDRESS', hash), sk: 'MAIL_ADDRESS' }),
  expiresAtEpoch: ({ at }) => epoch(at) + DAY,
});
