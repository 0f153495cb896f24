import * as z from 'zod/mini';
import { DELETION_STATUSES } from '../../contract/accounts/deletion.ts';
import { EXPORT_STATUSES } from '../../contract/accounts/export.ts';
import { type AccountScopedId, DAY, entity, epoch, type ItemOf, object, oneOf } from '../entity.ts';
import { joinKey as key } from '../keys.ts';

/** The list of an account's exports. */
export const exportsOf = (accountId: string) => key('ACCOUNT', accountId, 'EXPORTS');
/** The number of days for which an export is listed. */
const EXPORT_SHOWN_DAYS = 30;

/** An export of an account's data. Its progress is stored next to the archive (providers/exports/exports.ts). */
export type AccountExport = ItemOf<typeof AccountExport>;
export const AccountExport = /* @__PURE__ */ entity({
  type: 'ACCOUNT_EXPORT',
  schema: () =>
    z.object({
      id: z.string(),
      accountId: z.string(),
      status: oneOf(EXPORT_STATUSES),
      sizeBytes: z.nullable(z.int()),
      createdAt: z.string(),
      finishedAt: z.nullable(z.string()),
      /** Until it is finished: the time of the next work on it. During the work, this is the end of its lease. */
      dueAt: z.optional(z.string()),
    }),
  key: ({ accountId, id }: AccountScopedId) => ({ pk: key('ACCOUNT', accountId), sk: key('EXPORT', id) }),
  list: ({ accountId, id }) => ({ listPk: exportsOf(accountId), listSk: id }),
  due: { queues: ['ACCOUNT_EXPORT'] },
  expiresAtEpoch: ({ createdAt }) => epoch(createdAt) + EXPORT_SHOWN_DAYS * DAY,
});

/** The deletion of an account: requested, in progress, or done. It is the only record of a deleted account. */
export type AccountDeletion = ItemOf<typeof AccountDeletion>;
export const AccountDeletion = /* @__PURE__ */ entity({
  type: 'ACCOUNT_DELETION',
  schema: () =>
    z.object({
      accountId: z.string(),
      status: oneOf(DELETION_STATUSES),
      requestedAt: z.string(),
      endsAt: z.string(),
      /** The sum of the wallet and the AI credits as of the latest step; final once the status is `DELETED`. */
      refundCents: z.optional(z.int()),
      deletedAt: z.optional(z.string()),
      /** The current step of the removal, and the position after which it continues. */
      removal: z.optional(object({ step: z.string(), after: z.optional(z.string()) })),
      /** During the grace period: its end. During the removal: the time of the next step. */
      dueAt: z.optional(z.string()),
    }),
  key: ({ accountId }: { accountId: string }) => ({ pk: key('ACCOUNT', accountId), sk: 'DELETION' }),
  due: { queues: ['ACCOUNT_DELETION'] },
});
