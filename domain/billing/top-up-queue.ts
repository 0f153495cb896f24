import { TopUp } from '../../table/entities/billing.ts';
import { schedule, unschedule } from '../../table/schedule.ts';
import { change } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import type { DueQueue } from '../sweep/sweep.ts';
import { FIRST_CHECK_DELAY_MS, PAYMENT_PAGE_LIFETIME_MS, type PaymentDeps, settleTopUp } from './top-ups.ts';
import { payUnpaidInvoices } from './unpaid-invoices.ts';

/** Schedules the next status check of an open payment, or none when its page has expired. */
async function scheduleCheck(deps: Deps, id: string): Promise<void> {
  const topUp = await deps.table.get(TopUp, { id });
  // A settled one may be due when its money is no longer withheld.
  if (!topUp?.dueAt || topUp.status === 'SUCCEEDED') return;
  const now = deps.now().getTime();
  if (topUp.automatic && topUp.status === 'FAILED' && topUp.dueAt > deps.now().toISOString()) return;
  const age = now - Date.parse(topUp.createdAt);
  const next = schedule(TopUp, new Date(now + Math.max(FIRST_CHECK_DELAY_MS, age)));
  const what = age >= PAYMENT_PAGE_LIFETIME_MS ? { remove: unschedule(TopUp) } : { set: next };
  // A concurrent settlement unschedules it.
  const write = change(TopUp, { id }, { ...what, when: { status: { is: topUp.status } } }, concurrentUpdate);
  await ignoreConflict(deps.table.updateReturningChanged(write));
}

/** Pays the invoices that a payment's money did not, because its card was new to the account. */
async function endHold(deps: Deps, { id, accountId }: TopUp): Promise<void> {
  await payUnpaidInvoices(deps, accountId);
  await deps.table.transact([change(TopUp, { id }, { remove: unschedule(TopUp) })]);
}

/**
 * Open payments: the provider is asked for their status, because callbacks get lost and failures have none. Settled ones of new cards,
 * when their money is no longer withheld.
 */
export const topUpQueue: DueQueue<typeof TopUp, PaymentDeps> = {
  queue: 'TOP_UP',
  entity: TopUp,
  // Most of a check is waiting for the processor.
  concurrency: 10,
  readsAccounts: true,
  async act(deps, topUp) {
    if (topUp.status === 'SUCCEEDED') return await endHold(deps, topUp);
    await settleTopUp(deps, topUp.id);
    await scheduleCheck(deps, topUp.id);
  },
};
