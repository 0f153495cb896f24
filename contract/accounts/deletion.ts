import * as z from 'zod/mini';
import { Deleted, describe, Money, resource, single, Timestamp } from '../envelope.ts';
import { route } from '../route.ts';

/** States of a deletion: pending and cancellable, cancelled, in progress, completed. */
export const DELETION_STATUSES = ['GRACE', 'CANCELLED', 'RUNNING', 'DELETED'] as const;

/** Days between the request for a deletion and its start. */
export const GRACE_DAYS = 7;
/** The maximum age of the sign-in with which a deletion is requested, in seconds. */
export const FRESH_LOGIN_S = 900;
/**
 * Years for which accounting records are kept after a deletion: the current financial year and seven more (Companies Act 71 of
 * 2008, section 24). Tax law requires less (Tax Administration Act 28 of 2011, section 29).
 */
export const RECORD_YEARS = 8;

/** The requested deletion of an account. */
const AccountDeletion = resource('AccountDeletion', () =>
  z.object({
    status: z.enum(DELETION_STATUSES),
    requestedAt: Timestamp(),
    endsAt: describe(Timestamp(), 'When the deletion starts; it can be cancelled until then'),
    refund: describe(Money(), 'The amount to be refunded: the balances of the wallet and the AI credits'),
    deletedAt: z.nullable(Timestamp()),
  }),
);

export const requestDeletion = /* @__PURE__ */ route({
  id: 'requestDeletion',
  method: 'POST',
  path: '/dashboard/v1/account/deletion',
  access: 'login',
  right: 'manage',
  audit: 'account.deletion-requested',
  summary: 'Request the deletion of your account, which starts after seven days unless you cancel it',
  tag: 'Account',
  status: 202,
  body: () =>
    z.object({
      confirm: describe(z.string().check(z.maxLength(320)), 'The email address of the account, as a confirmation'),
    }),
  response: () => single(AccountDeletion()),
});

export const cancelDeletion = /* @__PURE__ */ route({
  id: 'cancelDeletion',
  method: 'DELETE',
  path: '/dashboard/v1/account/deletion',
  access: 'login',
  right: 'manage',
  audit: 'account.deletion-cancelled',
  summary: 'Cancel the deletion of your account',
  tag: 'Account',
  whileClosing: true,
  response: Deleted,
});
