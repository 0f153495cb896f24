import { TopUp } from '../../table/entities/billing.ts';
import { schedule, unschedule } from '../../table/schedule.ts';
import { change } from '../../table/writes.ts';
import { tryChange } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import type { DueQueue } from '../sweep/sweep.ts';
import { FIRST_CHECK_DELAY_MS, PAYMENT_PAGE_LIFETIME_MS, type PaymentDeps, settleTopUp } from './top-ups.ts';
import { payUnpaidInvoices } from './unpaid-invoices.ts';

/** Schedules the next status check of an open payment, or unschedules it if its payment page has expired. */
async function reschedule(deps: Deps, id: string): Promise<void> {
  const topUp = await deps.table.get(TopUp, { id });
  // A settled payment is due only at the end of its hold.
  if (!topUp?.dueAt || topUp.status === 'SUCCEEDED') return;
  const now = deps.now().getTime();
  if (topUp.automatic && topUp.status === 'FAILED' && topUp.dueAt > deps.now().toISOString()) return;
  const age = now - Date.parse(topUp.createdAt);
  const next = schedule(TopUp, new Date(now + Math.max(FIRST_CHECK_DELAY_MS, age)));
  const update = age >= PAYMENT_PAGE_LIFETIME_MS ? { remove: unschedule(TopUp) } : { set: next };
  // A concurrent settlement unschedules the payment.
  await tryChange(deps, TopUp, { id }, { ...update, when: { status: { is: topUp.status } } });
}

/** Ends the hold of a new card's payment: pays the invoices that the money could not pay before. */
async function endHold(deps: Deps, { id, accountId }: TopUp): Promise<void> {
  await payUnpaidInvoices(deps, accountId);
  await deps.table.transact([change(TopUp, { id }, { remove: unschedule(TopUp) })]);
}

/**
 * Due queue of open payments, whose status is read from the provider, because callbacks get lost and failures have none. Also has settled
 * payments from new cards, which are due at the end of their hold.
 */
export const topUpQueue: DueQueue<typeof TopUp, PaymentDeps> = {
  queue: 'TOP_UP',
  entity: TopUp,
  // A check spends most of its time waiting for the payment provider.
  concurrency: 10,
  readsAccounts: true,
  async act(deps, topUp) {
    if (topUp.status === 'SUCCEEDED') return await endHold(deps, topUp);
    await settleTopUp(deps, topUp.id);
    await reschedule(deps, topUp.id);
  },
};
