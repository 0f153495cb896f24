import { PaymentsNotConfigured, type Dispute as ProviderDispute } from '../../providers/payments/payments.ts';
import { Dispute, TopUp } from '../../table/entities/billing.ts';
import { change, create } from '../../table/writes.ts';
import { concurrentUpdate } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { DAY_MS } from '../time.ts';
import { formatRand } from './money.ts';
import { type PaymentDeps, topUpId } from './top-ups.ts';
import { type Wallet, withWallet } from './wallet.ts';

/** Tells operators about a dispute that has been opened or closed. */
export type ReportDispute = (dispute: Dispute) => void;

/** Freezes the amount. The card is not charged again: its owner may not know of the account. */
function open(wallet: Wallet, dispute: Dispute) {
  const { frozenCents = 0, autoTopUp } = wallet.account;
  wallet.add(create(Dispute, dispute, concurrentUpdate));
  const off = autoTopUp ? { autoTopUp: { ...autoTopUp, enabled: false } } : {};
  return { set: { frozenCents: frozenCents + dispute.amountCents, ...off }, remove: ['card'] };
}

/**
 * Lifts the freeze. The amount of a lost dispute, which may be less than was frozen, is taken from the wallet, which may then be below
 * zero.
 */
function close(wallet: Wallet, dispute: Dispute, from: Dispute) {
  const { id, amountCents, status, closedAt, topUpId: payment } = dispute;
  const what = { set: { status, closedAt, amountCents }, when: { status: { is: from.status } } };
  wallet.add(change(Dispute, { id }, what, concurrentUpdate));
  if (status === 'LOST') wallet.takeBack(amountCents, `Disputed card payment ${payment}`);
  return { set: { frozenCents: Math.max(0, (wallet.account.frozenCents ?? 0) - from.amountCents) } };
}

/**
 * Records a dispute as the payment processor describes it, once, however often and in whatever order it is told.
 *
 * @returns the dispute as it is now; undefined where it is about no payment of ours
 */
async function record(
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
        const about = { id, accountId, topUpId: topUp.id, amountCents, createdAt: wallet.now };
        const opened: Dispute = { ...about, status: 'OPEN', closedAt: null };
        const opening = { dispute: opened, isSettled: status === 'OPEN' };
        const written = await deps.commit(
          wallet.writes(open(wallet, opened)),
          opening,
          wallet.audited('dispute.opened', id, { amount: formatRand(amountCents), status: 'OPEN' }),
        );
        report(opened);
        return written;
      }
      if (known.status !== 'OPEN' || status === 'OPEN') return { dispute: known, isSettled: true };
      const amount = status === 'LOST' ? amountCents : known.amountCents;
      const closed: Dispute = { ...known, amountCents: amount, status, closedAt: wallet.now };
      const change = close(wallet, closed, known);
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

/** Asks the processor about a dispute, and freezes its amount or lifts the freeze. Throws `PaymentProviderError`. */
export async function settleDispute(
  deps: PaymentDeps & { reportDispute: ReportDispute },
  id: string,
): Promise<Dispute | undefined> {
  const dispute = await deps.payments.findDispute(id);
  return dispute && (await record(deps, dispute, deps.reportDispute));
}

/** Callbacks of disputes are repeated for days at most; then the provider's list is the only word of them. */
const RECOVERY_INTERVAL_MIN = 60;
/** Disputes opened before this are not listed, in milliseconds: banks decide within months. */
const RECOVERY_WINDOW_MS = 180 * DAY_MS;

/** Result of a comparison with the payment provider's disputes: those that its callbacks did not tell, and what failed. */
export interface DisputeRecovery {
  recovered: Dispute[];
  failed: unknown[];
}

/**
 * Compares the disputes here with those of the payment provider, and settles those that are unknown here or closed there.
 * Called every minute, it does so once an hour.
 */
export async function recoverDisputes(
  deps: PaymentDeps & { reportDispute: ReportDispute },
): Promise<DisputeRecovery | undefined> {
  const now = deps.now().getTime();
  if (Math.floor(now / 60_000) % RECOVERY_INTERVAL_MIN !== 0) return undefined;
  const done: DisputeRecovery = { recovered: [], failed: [] };
  const isolate = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      // An installation without card payments has no disputes.
      if (!(error instanceof PaymentsNotConfigured)) done.failed.push(error);
    }
  };
  await isolate(async () => {
    for (const { id, status } of await deps.payments.listDisputes(new Date(now - RECOVERY_WINDOW_MS))) {
      await isolate(async () => {
        const known = await deps.table.get(Dispute, { id });
        if (known && (known.status !== 'OPEN' || status === 'OPEN')) return;
        const settled = await settleDispute(deps, id);
        if (settled) done.recovered.push(settled);
      });
    }
  });
  return done;
}
