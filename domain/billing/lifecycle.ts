import { Account } from '../../table/entities/accounts.ts';
import { Invoice, Subscription, subscriptionsOf } from '../../table/entities/billing.ts';
import type { Change } from '../../table/expressions.ts';
import { schedule, unschedule } from '../../table/schedule.ts';
import { change, check, type Write } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict, retryOnConflict, tryChange, tryTransact } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import type { DueQueue } from '../sweep/sweep.ts';
import { type SweepJob, sweepJob } from '../sweep/sweep-all.ts';
import { DAY_MS, timestampAfter, timestampBefore } from '../time.ts';
import { emit } from '../webhooks/events.ts';
import { accountPlanChange, defaultPlanChange } from './account-plan.ts';
import { considerAutoTopUp, willCardPay } from './auto-top-up.ts';
import { issueInvoice } from './invoices.ts';
import { periodEndAfter } from './periods.ts';
import { periodPrice, type ReadPlans } from './plans.ts';
import {
  cancelHostingOf,
  cancelWithin,
  findOwned,
  invoiceLineForPeriod,
  nextInvoiceAt,
  viewSubscription,
} from './subscriptions.ts';
import { topUpQueue } from './top-up-queue.ts';
import type { PaymentDeps } from './top-ups.ts';
import { invoiceQueue, payUnpaidInvoices } from './unpaid-invoices.ts';
import { balanceIs, type Wallet, withWallet } from './wallet.ts';

/** Advances subscriptions through their lifecycle: invoicing, suspension, cancellation and end. */

/** Time after an invoice's due date at which its subscription is suspended, in milliseconds. */
const SUSPEND_AFTER_MS = 7 * DAY_MS;
/** Time after an invoice's due date at which its subscription is cancelled, in milliseconds. */
const CANCEL_AFTER_MS = 30 * DAY_MS;
/** Minimum time from a suspension, even a late one, to the cancellation, in milliseconds. */
const MIN_SUSPENDED_MS = CANCEL_AFTER_MS - SUSPEND_AFTER_MS;
/** Time before a suspension at which the card is charged if the invoice is still unpaid, in milliseconds. */
const LAST_CHARGE_LEAD_MS = DAY_MS;
/** Interval at which a suspended subscription is checked, in milliseconds: its owner waits for a payment whose event the stream has lost. */
const SUSPENDED_CHECK_MS = DAY_MS;
const laterOf = (time: string, other = '') => (time > other ? time : other);

type LifecycleDeps = Deps & { plans: ReadPlans };

/** Reschedules a subscription, unless another change has rescheduled it since it was read. */
async function reschedule(deps: Deps, { accountId, id, dueAt = '' }: Subscription, at: string): Promise<undefined> {
  const update = { set: schedule(Subscription, at), when: { dueAt: { is: dueAt } } };
  await tryChange(deps, Subscription, { accountId, id }, update);
}

/**
 * Returns the time to which a subscription is postponed because its owner cannot pay: the account is suspended or scheduled for
 * deletion. Before that time, it is not invoiced, suspended or cancelled (docs/decisions/0031-suspension.md).
 */
const postponedTo = ({ account, now }: Wallet): string | undefined =>
  account.suspension || account.deletion ? timestampAfter(now, DAY_MS) : undefined;

/** Schedules the check before an unpaid subscription is suspended, which schedules that step. */
const scheduleLastCharge = (stepAt: string) => schedule(Subscription, timestampBefore(stepAt, LAST_CHARGE_LEAD_MS));

/** Issues the invoice for the next period. It is paid immediately if the balance allows, and the stream then adds the period. */
const invoiceNextPeriod = (deps: LifecycleDeps, { accountId, id }: Subscription) =>
  withWallet(deps, accountId, findOwned(deps, accountId, id), async (wallet, { subscription }) => {
    const { status, renewal, plan, billingCycle, createdAt, currentPeriodEnd } = subscription;
    if (status !== 'ACTIVE' || renewal || nextInvoiceAt(currentPeriodEnd) > wallet.now) return;
    const postponed = postponedTo(wallet);
    if (postponed) return await reschedule(deps, subscription, postponed);
    const offered = (await deps.plans()).find(({ slug }) => slug === plan.slug);
    const priceCents = offered ? periodPrice(offered, billingCycle) : subscription.priceCents;
    const periodEnd = periodEndAfter(createdAt, billingCycle, currentPeriodEnd);
    // A late invoice must not be overdue when it is issued. An invoice is late if it was postponed or replaces a voided one.
    const payBy = laterOf(currentPeriodEnd, wallet.now);
    const invoice = issueInvoice(deps, wallet, {
      kind: 'PLAN',
      lines: [invoiceLineForPeriod(subscription, priceCents, [currentPeriodEnd, periodEnd])],
      subjectId: id,
      payBy,
    });
    const next = { invoiceId: invoice.id, payBy, periodEnd };
    const set = { renewal: next, priceCents, ...scheduleLastCharge(timestampAfter(payBy, SUSPEND_AFTER_MS)) };
    wallet.add(
      change(
        Subscription,
        { accountId, id },
        { set, when: { renewal: 'absent', status: { is: status } } },
        concurrentUpdate,
      ),
    );
    const { number, status: paid } = invoice;
    await deps.commit(
      wallet.writes(),
      undefined,
      wallet.audited('invoice.issued', invoice.id, { number, status: paid, kind: 'PLAN' }),
    );
  });

/** Returns the subscription that an invoice renews, unless it is cancelled. */
async function findRenewedSubscription(
  deps: Deps,
  { accountId, subjectId: id = '', id: invoiceId }: Invoice,
): Promise<Subscription | undefined> {
  const subscription = await deps.table.get(Subscription, { accountId, id });
  const isRenewed = subscription?.renewal?.invoiceId === invoiceId && subscription.status !== 'CANCELLED';
  return isRenewed ? subscription : undefined;
}

/** Returns the writes that end a subscription's pending renewal, once. A suspended subscription becomes active again. */
function settleRenewal(subscription: Subscription, set: Change['set'], now: string): Write[] {
  const { accountId, id, status, renewal } = subscription;
  const when = { 'renewal.invoiceId': { is: renewal?.invoiceId ?? '' }, status: { is: status } };
  const update = { set: { status: 'ACTIVE', ...set }, remove: ['renewal'], when };
  const restored = status === 'SUSPENDED' ? accountPlanChange(subscription, now) : {};
  return [
    change(Subscription, { accountId, id }, update, concurrentUpdate),
    ...(restored.set ? [change(Account, { id: accountId }, restored)] : []),
  ];
}

/** Returns the event of a subscription that was renewed or reactivated. */
const activated = (deps: Deps, { accountId, id, plan }: Subscription): Write =>
  emit(deps, accountId, 'subscription.activated', { subscriptionId: id, plan: plan.slug });

/** Adds the period of a paid invoice, once. A suspended subscription becomes active again. */
export async function addPaidPeriod(deps: Deps, invoice: Invoice): Promise<void> {
  const subscription = await findRenewedSubscription(deps, invoice);
  if (!subscription?.renewal) return;
  const { accountId, id, renewal } = subscription;
  const { periodEnd: currentPeriodEnd } = renewal;
  const period = { currentPeriodEnd, ...schedule(Subscription, nextInvoiceAt(currentPeriodEnd)) };
  const writes = [...settleRenewal(subscription, period, deps.now().toISOString()), activated(deps, subscription)];
  const audited = {
    action: 'subscription.renewed',
    accountId,
    subjectId: id,
    before: viewSubscription(subscription),
    after: { ...viewSubscription(subscription), status: 'ACTIVE', currentPeriodEnd },
  } as const;
  // On a conflict, the period has already been added, or the subscription was cancelled.
  await ignoreConflict(deps.commit(writes, undefined, audited));
}

/**
 * Clears the pending renewal after operators have voided its invoice. The period is invoiced again when the current one ends, and tomorrow at
 * the earliest. The audit log already has the operators' action.
 */
export async function clearRenewal(deps: Deps, invoice: Invoice): Promise<void> {
  const subscription = await findRenewedSubscription(deps, invoice);
  if (!subscription) return;
  const { status, currentPeriodEnd } = subscription;
  const now = deps.now().toISOString();
  const next = schedule(Subscription, laterOf(currentPeriodEnd, timestampAfter(now, DAY_MS)));
  const writes = [
    ...settleRenewal(subscription, next, now),
    ...(status === 'SUSPENDED' ? [activated(deps, subscription)] : []),
  ];
  // On a conflict, the renewal has already been cleared, or the subscription was cancelled.
  await tryTransact(deps, writes);
}

/**
 * Returns the change of an account's plan when a subscription is no longer in effect. The new plan is the active one, otherwise the largest
 * cancelled one whose paid period has not ended, otherwise the default plan.
 */
function planAfter({ id, plan }: Pick<Subscription, 'id' | 'plan'>, all: readonly Subscription[], now: string): Change {
  if (plan.category !== 'APP') return {};
  const candidates = all.filter(
    (other) =>
      other.id !== id &&
      other.plan.category === 'APP' &&
      (other.status === 'ACTIVE' || (other.status === 'CANCELLED' && other.currentPeriodEnd > now)),
  );
  const priority = ({ status, plan: { appLimit = 0 } }: Subscription) =>
    status === 'ACTIVE' ? Number.POSITIVE_INFINITY : appLimit;
  const [next] = candidates.sort((a, b) => priority(b) - priority(a));
  return next ? accountPlanChange(next, now) : defaultPlanChange(now);
}

/** Returns the time at which an unpaid subscription is suspended or, if it is already suspended, cancelled. */
function nextStepAt({ status, renewal }: Subscription, { resumedAt }: Account): string {
  const payBy = laterOf(renewal?.payBy ?? '', resumedAt);
  if (status === 'ACTIVE') return timestampAfter(payBy, SUSPEND_AFTER_MS);
  const cancelsAt = timestampAfter(payBy, CANCEL_AFTER_MS);
  // Earlier versions did not store the time of a suspension.
  const { suspendedAt } = renewal ?? {};
  return suspendedAt === undefined ? cancelsAt : laterOf(cancelsAt, timestampAfter(suspendedAt, MIN_SUSPENDED_MS));
}

/** Suspends a subscription within a transaction. */
function suspendWithin(wallet: Wallet, { accountId, id, status }: Subscription, { id: invoiceId }: Invoice): void {
  const suspended = { status: 'SUSPENDED', 'renewal.suspendedAt': wallet.now };
  const set = { ...suspended, ...schedule(Subscription, timestampAfter(wallet.now, SUSPENDED_CHECK_MS)) };
  const when = { status: { is: status }, 'renewal.invoiceId': { is: invoiceId } };
  wallet.add(
    change(Subscription, { accountId, id }, { set, when }, concurrentUpdate),
    // If the invoice has been paid since the read, the plan is renewed and must not be suspended.
    check(Invoice, { accountId, id: invoiceId }, { status: { is: 'UNPAID' } }, concurrentUpdate),
  );
}

/**
 * Suspends a subscription whose invoice is overdue, or cancels it if it has been suspended long enough.
 * @returns the renewal's invoice if it is paid or void, and thus still to be settled; undefined otherwise
 */
async function runDunning(deps: Deps, checked: Subscription): Promise<Invoice | undefined> {
  const { accountId, id, dueAt = '' } = checked;
  const read = async () => ({
    owned: await findOwned(deps, accountId, id)(),
    all: await deps.table.all(Subscription, subscriptionsOf(accountId)),
  });
  return await withWallet(deps, accountId, read, async (wallet, { owned, all }) => {
    const { subscription, renewal } = owned;
    const { status } = subscription;
    if (status === 'CANCELLED' || !renewal) return undefined;
    // The stream settles this invoice. The caller settles it as well, in case the stream's attempt was lost.
    if (renewal.status !== 'UNPAID') return renewal;
    const next = nextStepAt(subscription, wallet.account);
    const tomorrow = timestampAfter(wallet.now, SUSPENDED_CHECK_MS);
    const nextCheck = status === 'SUSPENDED' && tomorrow < next ? tomorrow : next;
    const recheckAt = postponedTo(wallet) ?? (next > wallet.now ? nextCheck : undefined);
    if (recheckAt) return await reschedule(deps, subscription, recheckAt);
    // The check before this step charges the card. It did not take place in an outage, so it takes place now.
    if (dueAt < next && (await willCardPay(deps, wallet.account, renewal.amountCents)))
      return await reschedule(deps, checked, timestampAfter(wallet.now, LAST_CHARGE_LEAD_MS));
    // A subscription that is processed late, after an outage or quarantine, is also suspended before it is cancelled.
    if (status === 'ACTIVE') suspendWithin(wallet, subscription, renewal);
    else cancelWithin(deps, wallet, owned, { endsNow: true });
    const before = viewSubscription(subscription);
    const audited =
      status === 'ACTIVE'
        ? wallet.audited('subscription.suspended', id, { ...before, status: 'SUSPENDED' }, before)
        : wallet.audited('subscription.cancelled', id, { ...before, status: 'CANCELLED' }, before);
    return await deps.commit(wallet.writes(planAfter(subscription, all, wallet.now)), undefined, audited);
  });
}

/** Ends a cancelled subscription whose paid period is over. The account falls back to another plan, unless one has already replaced it. */
const endCancelled = (deps: Deps, { accountId, id, plan }: Subscription): Promise<void> =>
  retryOnConflict(async () => {
    // Reads the account before the subscriptions: a purchase in between changes the wallet, so that this attempt fails and is repeated.
    const account = await deps.table.get(Account, { id: accountId });
    const all = await deps.table.all(Subscription, subscriptionsOf(accountId));
    const { dueAt } = all.find((each) => each.id === id) ?? {};
    // Another run has ended it.
    if (dueAt === undefined) return;
    const { set } = planAfter({ id, plan }, all, deps.now().toISOString());
    const ended = { remove: unschedule(Subscription), when: { dueAt: { is: dueAt } } };
    const end = change(Subscription, { accountId, id }, ended, concurrentUpdate);
    const isInEffect = set !== undefined && account?.plan.slug === plan.slug;
    const writes: Write[] = [end];
    if (isInEffect) {
      const when = { ...balanceIs(account), 'plan.slug': { is: plan.slug } };
      writes.push(change(Account, { id: accountId }, { set, when }, concurrentUpdate));
      // The stream reactivates a suspended subscription after its payment. This moves no money, so the wallet's version does not show it.
      const suspended = all.filter((other) => other.status === 'SUSPENDED' && other.plan.category === 'APP');
      for (const other of suspended)
        writes.push(check(Subscription, other, { status: { is: 'SUSPENDED' } }, concurrentUpdate));
    }
    const audited = { action: 'subscription.ended', accountId, subjectId: id, before: { plan } } as const;
    await deps.commit(writes, undefined, { ...audited, after: isInEffect ? { plan: set.plan } : {} });
  });

/** Performs the next due step of one subscription. */
async function advance(deps: LifecycleDeps, subscription: Subscription): Promise<void> {
  const { accountId, status, hostingDomain, panel } = subscription;
  if (status === 'CANCELLED') return await endCancelled(deps, subscription);
  // The stream cancels hosting whose domain another account has proven. Its attempt may be lost.
  if (hostingDomain && panel?.status === 'REMOVED') return await cancelHostingOf(deps, accountId, hostingDomain);
  if (!subscription.renewal) return await invoiceNextPeriod(deps, subscription);
  // The stream pays invoices when money arrives. Its attempt may be late or lost.
  await payUnpaidInvoices(deps, accountId);
  const settled = await runDunning(deps, subscription);
  if (settled?.status === 'PAID') await addPaidPeriod(deps, settled);
  else if (settled) await clearRenewal(deps, settled);
  // The stream has the card charged for an unpaid invoice. Its attempt may be lost.
  else await considerAutoTopUp(deps, accountId);
}

/** Due queue of the subscriptions to invoice, to suspend or cancel for non-payment, or to end. */
export const subscriptionQueue: DueQueue<typeof Subscription, LifecycleDeps> = {
  queue: 'SUBSCRIPTION',
  entity: Subscription,
  act: advance,
};

/** Returns the sweep of each due queue of billing. */
export const billingSweeps = (deps: LifecycleDeps & PaymentDeps): Record<string, SweepJob> => ({
  topUps: sweepJob(deps, topUpQueue),
  subscriptions: sweepJob(deps, subscriptionQueue),
  invoices: sweepJob(deps, invoiceQueue),
});
