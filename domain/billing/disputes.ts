import { PaymentsNotConfigured, type Dispute as ProviderDispute } from '../../providers/payments/payments.ts';
import { Dispute, TopUp } from '../../table/entities/billing.ts';
import { change, create } from '../../table/writes.ts';
import { concurrentUpdate } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { DAY_MS } from '../time.ts';
import { formatRand } from './money.ts';
import { type PaymentDeps, topUpId } from './top-ups.ts';
import { type Wallet, withWallet } from './wallet.ts';

/** Reports an opened or closed dispute to operators. */
export type ReportDispute = (dispute: Dispute) => void;

/** Records a dispute and freezes its amount. Removes the card, because its owner may not have authorized the account to charge it. */
function openDispute(wallet: Wallet, dispute: Dispute) {
  const { frozenCents = 0, autoTopUp } = wallet.account;
  wallet.add(create(Dispute, dispute, concurrentUpdate));
  const off = autoTopUp ? { autoTopUp: { ...autoTopUp, enabled: false } } : {};
  return { set: { frozenCents: frozenCents + dispute.amountCents, ...off }, remove: ['card'] };
}

/**
 * Closes a dispute and lifts its freeze. Deducts the amount of a lost dispute, which may be less than the frozen amount, from the wallet. The
 * balance may then be negative.
 */
function closeDispute(wallet: Wallet, dispute: Dispute, before: Dispute) {
  const { id, amountCents, status, closedAt, topUpId: payment } = dispute;
  const update = { set: { status, closedAt, amountCents }, when: { status: { is: before.status } } };
  wallet.add(change(Dispute, { id }, update, concurrentUpdate));
  if (status === 'LOST') wallet.postChargeback(amountCents, `Disputed card payment ${payment}`);
  return { set: { frozenCents: Math.max(0, (wallet.account.frozenCents ?? 0) - before.amountCents) } };
}

/**
 * Records a dispute as the payment provider describes it. Idempotent, and independent of the order of callbacks.
 *
 * @returns the recorded dispute; undefined if it is not about a payment of the platform
 */
async function recordDispute(
  deps: Deps,
  { id, reference, amountCents, status }: ProviderDispute,
  report: ReportDispute,
): Promise<Dispute | undefined> {
  const topUp = await deps.table.get(TopUp, { id: topUpId(reference) });
  if (topUp?.status !== 'SUCCEEDED') return undefined;
  const { accountId } = topUp;
  for (;;) {
    const read = () => deps.table.get(Dispute, { id });
    const { dispute, isSettled } = await withWallet(deps, accountId, read, async (wallet, known) => {
      if (!known) {
        const details = { id, accountId, topUpId: topUp.id, amountCents, createdAt: wallet.now };
        const opened: Dispute = { ...details, status: 'OPEN', closedAt: null };
        const opening = { dispute: opened, isSettled: status === 'OPEN' };
        const written = await deps.commit(
          wallet.writes(openDispute(wallet, opened)),
          opening,
          wallet.audited('dispute.opened', id, { amount: formatRand(amountCents), status: 'OPEN' }),
        );
        report(opened);
        return written;
      }
      if (known.status !== 'OPEN' || status === 'OPEN') return { dispute: known, isSettled: true };
      const amount = status === 'LOST' ? amountCents : known.amountCents;
      const closed: Dispute = { ...known, amountCents: amount, status, closedAt: wallet.now };
      const change = closeDispute(wallet, closed, known);
      const written = await deps.commit(
        wallet.writes(change),
        { dispute: closed, isSettled: true },
        wallet.audited(
          'dispute.closed',
          id,
          { amount: formatRand(amount), status },
          { amount: formatRand(known.amountCents), status: known.status },
        ),
      );
      report(closed);
      return written;
    });
    if (isSettled) return dispute;
  }
}

/** Reads a dispute from the payment provider, and freezes its amount or lifts the freeze. Throws `PaymentProviderError`. */
export async function settleDispute(
  deps: PaymentDeps & { reportDispute: ReportDispute },
  id: string,
): Promise<Dispute | undefined> {
  const dispute = await deps.payments.findDispute(id);
  return dispute && (await recordDispute(deps, dispute, deps.reportDispute));
}

/** Minutes between two comparisons with the provider's list. The provider repeats a dispute's callback for a few days only. */
const RECOVERY_INTERVAL_MIN = 60;
/** Maximum age of the disputes that are compared, in milliseconds: banks decide within months. */
const RECOVERY_WINDOW_MS = 180 * DAY_MS;

/** Result of a comparison with the payment provider's disputes: the disputes whose callbacks were lost, and the errors. */
export interface DisputeRecovery {
  recovered: Dispute[];
  failed: unknown[];
}

/**
 * Compares the recorded disputes with the payment provider's, and settles the ones that are not recorded yet or that the provider has closed.
 * It is called every minute and runs once an hour.
 */
export async function recoverDisputes(
  deps: PaymentDeps & { reportDispute: ReportDispute },
): Promise<DisputeRecovery | undefined> {
  const now = deps.now().getTime();
  if (Math.floor(now / 60_000) % RECOVERY_INTERVAL_MIN !== 0) return undefined;
  const result: DisputeRecovery = { recovered: [], failed: [] };
  const isolate = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      // An installation without card payments has no disputes.
      if (!(error instanceof PaymentsNotConfigured)) result.failed.push(error);
    }
  };
  await isolate(async () => {
    for (const { id, status } of await deps.payments.listDisputes(new Date(now - RECOVERY_WINDOW_MS))) {
      await isolate(async () => {
        const known = await deps.table.get(Dispute, { id });
        if (known && (known.status !== 'OPEN' || status === 'OPEN')) return;
        const settled = await settleDispute(deps, id);
        if (settled) result.recovered.push(settled);
      });
    }
  });
  return result;
}
