import * as z from 'zod/mini';
import { DELETION_STATUSES } from '../../contract/accounts/deletion.ts';
import { EXPORT_STATUSES } from '../../contract/accounts/export.ts';
import { type AccountScopedId, DAY, entity, epoch, type ItemOf, object, oneOf } from '../entity.ts';
import { joinKey as key } from '../keys.ts';

/** The list of an account's exports. */
export const exportsOf = (accountId: string) => key('ACCOUNT', accountId, 'EXPORTS');
/** Days for which an export is shown. */
const EXPORT_SHOWN_DAYS = 30;

/** An export of an account's data. How far its archive is stands beside the archive (providers/exports/exports.ts). */
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
      /** While it is not finished: the next time at which it is worked on, which is the end of a lease while it is. */
      dueAt: z.optional(z.string()),
    }),
  key: ({ accountId, id }: AccountScopedId) => ({ pk: key('ACCOUNT', accountId), sk: key('EXPORT', id) }),
  list: ({ accountId, id }) => ({ listPk: exportsOf(accountId), listSk: id }),
  due: { queues: ['ACCOUNT_EXPORT'] },
  expiresAtEpoch: ({ createdAt }) => epoch(createdAt) + EXPORT_SHOWN_DAYS * DAY,
});

/** The deletion of an account: requested, under way, or done. It is the one record that tells of a deleted account. */
export type AccountDeletion = ItemOf<typeof AccountDeletion>;
export const AccountDeletion = /* @__PURE__ */ entity({
  type: 'ACCOUNT_DELETION',
  schema: () =>
    z.object({
      accountId: z.string(),
      status: oneOf(DELETION_STATUSES),
      requestedAt: z.string(),
      endsAt: z.string(),
      /** The sum of the wallet and the AI credits, at the latest step; final once the status is `DELETED`. */
      refundCents: z.optional(z.int()),
      deletedAt: z.optional(z.string()),
      /** The step of the removal that is under way, and the position after which it goes on. */
      removal: z.optional(object({ step: z.string(), after: z.optional(z.string()) })),
      /** While it waits: the end of the grace period. While it is under way: the next look at what is left. */
      dueAt: z.optional(z.string()),
    }),
  key: ({ accountId }: { accountId: string }) => ({ pk: key('ACCOUNT', accountId), sk: 'DELETION' }),
  due: { queues: ['ACCOUNT_DELETION'] },
});
