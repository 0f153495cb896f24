import {
  type cancelDeletion as CancelRoute,
  FRESH_LOGIN_S,
  GRACE_DAYS,
  type requestDeletion as RequestRoute,
} from '../../../contract/accounts/deletion.ts';
import { ApiError, invalidField } from '../../../contract/errors.ts';
import type { Input, Output } from '../../../contract/route.ts';
import { AccountDeletion } from '../../../table/entities/account-data.ts';
import { Account } from '../../../table/entities/accounts.ts';
import { AiAccount } from '../../../table/entities/ai.ts';
import { InvoiceByStatus, invoicesByStatus } from '../../../table/entities/billing.ts';
import { schedule, unschedule } from '../../../table/schedule.ts';
import { change, upsert } from '../../../table/writes.ts';
import { CENT_MICRO_RAND } from '../../ai/prices.ts';
import { formatRand } from '../../billing/money.ts';
import { balanceIs } from '../../billing/wallet.ts';
import { concurrentUpdate, retryRequest } from '../../conflict.ts';
import type { Caller, Deps } from '../../deps.ts';
import { findAccount } from '../../limits/limits.ts';
import { DAY_MS, timestampAfter } from '../../time.ts';
import { reapplyChange } from '../suspension.ts';

/**
 * The request to delete an account, and its cancellation. During the grace period the account is read-only and its applications keep
 * serving (docs/decisions/0056-customers-data.md).
 */

/** Returns the deletion as the account and operators see it. */
function viewDeletion(deletion: AccountDeletion): Output<typeof RequestRoute>['data'] {
  const { status, requestedAt, endsAt, refundCents = 0, deletedAt = null } = deletion;
  return { status, requestedAt, endsAt, refund: formatRand(refundCents), deletedAt };
}

/**
 * Returns the refund that the platform owes an account, in whole cents: its wallet and AI credits, without frozen money and chargebacks. The
 * amount is final once no dispute and no AI call is open.
 */
export function refundOf({ walletCents, frozenCents = 0 }: Account, credits: AiAccount | undefined): number {
  return Math.max(0, walletCents - frozenCents + creditCentsOf(credits));
}

/** Returns the AI credits in whole cents, after the account's debt for AI calls. */
export function creditCentsOf(credits: AiAccount | undefined): number {
  const { balanceMicroRand = 0, debtMicroRand = 0 } = credits ?? {};
  return Math.floor(Math.max(0, balanceMicroRand - debtMicroRand) / CENT_MICRO_RAND);
}

/** Throws 409 with the reason while the account owes money or a card payment is disputed. */
async function assertNothingOwed({ table }: Deps, { id, walletCents, frozenCents = 0 }: Account): Promise<void> {
  const refusal = (reason: string) => new ApiError('conflict', `The account cannot be deleted yet: ${reason}`);
  if (walletCents < 0) throw refusal(`its balance is -R${formatRand(-walletCents)}. Top up first.`);
  if (frozenCents > 0) throw refusal('a card payment is disputed. Wait until the dispute is closed.');
  const [unpaid] = await table.all(InvoiceByStatus, invoicesByStatus(id, 'UNPAID'), { limit: 1, oldestFirst: true });
  if (unpaid) throw refusal(`invoice ${unpaid.number} is unpaid. Pay the invoice, or cancel its order.`);
}

/**
 * POST /dashboard/v1/account/deletion. Throws 403 unless the caller signed in recently, 400 unless `confirm` is the account's email address,
 * and 409 while the account owes money or if its deletion is already requested.
 */
export async function requestDeletion(
  deps: Deps,
  { accountId, session }: Caller,
  { confirm }: Input<typeof RequestRoute>,
): Promise<Output<typeof RequestRoute>> {
  const now = deps.now();
  const signedIn = (session?.signedInAtEpoch ?? 0) * 1000;
  if (now.getTime() - signedIn > FRESH_LOGIN_S * 1000)
    throw new ApiError('forbidden', 'Sign out and in again first: this requires a sign-in within the last 15 minutes.');
  const request = async (): Promise<Output<typeof RequestRoute>> => {
    const account = await findAccount(deps, accountId);
    if (confirm.trim().toLowerCase() !== account.email.toLowerCase())
      throw invalidField('confirm', 'is not the email address of the account');
    if (account.deletion) throw new ApiError('conflict', 'The deletion of this account is already requested.');
    await assertNothingOwed(deps, account);
    const requestedAt = now.toISOString();
    const endsAt = timestampAfter(now, GRACE_DAYS * DAY_MS);
    const refundCents = refundOf(account, await deps.table.get(AiAccount, { accountId }));
    const deletion: AccountDeletion = { accountId, status: 'GRACE', requestedAt, endsAt, refundCents, dueAt: endsAt };
    const { set, when } = reapplyChange(account, now);
    const isDeletable = { deletion: 'absent' as const, ...balanceIs(account) };
    const data = viewDeletion(deletion);
    return await deps.commit(
      [
        change(
          Account,
          { id: accountId },
          { set: { ...set, deletion: { requestedAt, endsAt } }, when: { ...when, ...isDeletable } },
          concurrentUpdate,
        ),
        upsert(AccountDeletion, { accountId }, { set: { ...deletion, ...schedule(AccountDeletion, endsAt) } }),
      ],
      { data },
      { subjectId: accountId, after: data },
    );
  };
  return await retryRequest(request);
}

/** DELETE /dashboard/v1/account/deletion. Throws 404 if no deletion is requested, and 409 once it has begun. */
export async function cancelDeletion(deps: Deps, { accountId }: Caller): Promise<Output<typeof CancelRoute>> {
  const cancel = async (): Promise<Output<typeof CancelRoute>> => {
    const [account, deletion] = await Promise.all([
      findAccount(deps, accountId),
      deps.table.get(AccountDeletion, { accountId }),
    ]);
    // Another request may cancel the deletion between the two reads.
    if (!account.deletion || !deletion || deletion.status === 'CANCELLED')
      throw new ApiError('not_found', 'No deletion of this account is requested.');
    if (deletion.status !== 'GRACE') throw new ApiError('conflict', 'The deletion of this account has begun.');
    const { set, when } = reapplyChange(account, deps.now());
    const cancellation = {
      set: { status: 'CANCELLED' },
      remove: unschedule(AccountDeletion),
      when: { status: { is: 'GRACE' } },
    };
    return await deps.commit(
      [
        change(Account, { id: accountId }, { set, remove: ['deletion'], when }, concurrentUpdate),
        change(AccountDeletion, { accountId }, cancellation, concurrentUpdate),
      ],
      { data: { id: accountId, deleted: true } },
      { subjectId: accountId, before: account.deletion },
    );
  };
  return await retryRequest(cancel);
}
