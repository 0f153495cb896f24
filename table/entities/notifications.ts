import * as z from 'zod/mini';
import { NOTIFICATION_DAYS, NOTIFICATION_KIND_NAMES } from '../../contract/accounts/notifications.ts';
import { DAY, entity, epoch, type ItemOf, object, oneOf, partialRecord } from '../entity.ts';
import { joinKey as key } from '../keys.ts';

/** The partition of an account's notifications, by day. */
export const notificationsOf = (accountId: string) => key('ACCOUNT', accountId, 'NOTIFICATIONS');

/** An incident on one day. Further occurrences on that day only update its time. */
export type Notification = ItemOf<typeof Notification>;
export const Notification = /* @__PURE__ */ entity({
  type: 'NOTIFICATION',
  schema: () =>
    z.object({
      accountId: z.string(),
      /** `2026-11-23`, in UTC. */
      day: z.string(),
      kind: oneOf(NOTIFICATION_KIND_NAMES),
      /** The id of the affected resource. */
      subjectId: z.string(),
      title: z.string(),
      path: z.string(),
      at: z.string(),
    }),
  key: ({ accountId, day, kind, subjectId }: { accountId: string; day: string; kind: string; subjectId: string }) => ({
    pk: notificationsOf(accountId),
    sk: key(day, kind, subjectId),
  }),
  expiresAtEpoch: ({ day }) => epoch(`${day}T00:00:00.000Z`) + NOTIFICATION_DAYS * DAY,
});

/** The state of a login in an account: the time up to which it has read the notifications, the kinds that it has switched off, and its emails. */
export type NotificationReader = ItemOf<typeof NotificationReader>;
export const NotificationReader = /* @__PURE__ */ entity({
  type: 'NOTIFICATION_READER',
  schema: () =>
    z.object({
      accountId: z.string(),
      subject: z.string(),
      readUntil: z.optional(z.string()),
      off: z.optional(z.array(oneOf(NOTIFICATION_KIND_NAMES))),
      /** The kinds that are not sent by email. */
      offByMail: z.optional(z.array(oneOf(NOTIFICATION_KIND_NAMES))),
      /** The key that signs the unsubscribe links in its emails. */
      unsubscribeKey: z.optional(z.string()),
      /** For each kind, the time of the last email, and the ids of the emailed notifications. */
      mailed: z.optional(
        partialRecord(NOTIFICATION_KIND_NAMES, object({ lastAt: z.string(), sent: z.array(z.string()) })),
      ),
      /** The number of started emails. A write of `mailed` requires the number that it read. */
      mailVersion: z.optional(z.int()),
      /** While an email is being sent: the time at which its sender is considered crashed. */
      mailClaimedUntil: z.optional(z.string()),
    }),
  key: ({ accountId, subject }: { accountId: string; subject: string }) => ({
    pk: key('ACCOUNT', accountId),
    sk: key('NOTIFICATION_READER', subject),
  }),
});
