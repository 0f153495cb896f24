import { DEFAULT_PLAN } from '../../contract/billing/plans.ts';
import { Account } from '../../table/entities/accounts.ts';
import { Invoice, Subscription, subscriptionsOf } from '../../table/entities/billing.ts';
import type { Change } from '../../table/expressions.ts';
import { schedule, unschedule } from '../../table/schedule.ts';
import { change, check, type Write } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict, retryOnConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import type { DueQueue } from '../sweep/sweep.ts';
import { type SweepJob, sweepJob } from '../sweep/sweep-all.ts';
import { DAY_MS, timestampAfter } from '../time.ts';
import { emit } from '../webhooks/events.ts';
import { issueInvoice } from './invoices.ts';
import { periodEndAfter } from './periods.ts';
import { periodPrice, type ReadPlans } from './plans.ts';
import {
  accountPlanChange,
  cancelWithin,
  findOwned,
  invoiceLineForPeriod,
  nextInvoiceAt,
  type OwnedSubscription,
  viewSubscription,
} from './subscriptions.ts';
import { topUpQueue } from './top-up-queue.ts';
import type { PaymentDeps } from './top-ups.ts';
import { invoiceQueue } from './unpaid-invoices.ts';
import { balanceIs, type Wallet, withWallet } from './wallet.ts';

/** Moves subscriptions through their lifecycle as time passes and invoices are paid or not. */

/** An invoice overdue this long suspends, and this long cancels, in milliseconds (design, Billing). */
const SUSPEND_AFTER_MS = 7 * DAY_MS;
const CANCEL_AFTER_MS = 30 * DAY_MS;
/** Minimum time from a suspension, however late it came, to the cancellation, in milliseconds. */
const MIN_SUSPENDED_MS = CANCEL_AFTER_MS - SUSPEND_AFTER_MS;
const latest = (time: string, other = '') => (time > other ? time : other);

type LifecycleDeps = Deps & { plans: ReadPlans };

/** Has a subscription looked at again at a time, unless another change has scheduled it since it was read. */
async function reschedule(
  { table }: Deps,
  { accountId, id, dueAt = '' }: Subscription,
  at: string,
): Promise<undefined> {
  const what = { set: schedule(Subscription, at), when: { dueAt: { is: dueAt } } };
  await ignoreConflict(table.transact([change(Subscription, { accountId, id }, what, concurrentUpdate)]));
}

/**
 * Returns the time at which a subscription is looked at again whose owner cannot pay: the account is suspended, or will be deleted.
 * Until then nothing is invoiced, suspended or cancelled (docs/decisions/0031-suspension.md).
 */
const postponedTo = ({ account, now }: Wallet): string | undefined =>
  account.suspension || account.deletion ? timestampAfter(now, DAY_MS) : undefined;

/** Issues the invoice for the next period. Paid at once where the balance allows; the stream then adds the period. */
const invoiceNextPeriod = (deps: LifecycleDeps, { accountId, id }: Subscription) =>
  withWallet(deps, accountId, findOwned(deps, accountId, id), async (wallet, { subscription }) => {
    const { status, renewal, plan, billingCycle, createdAt, currentPeriodEnd } = subscription;
    if (status !== 'ACTIVE' || renewal || nextInvoiceAt(currentPeriodEnd) > wallet.now) return;
    const postponed = postponedTo(wallet);
    if (postponed) return await reschedule(deps, subscription, postponed);
    const offered = (await deps.plans()).find(({ slug }) => slug === plan.slug);
    const priceCents = offered ? periodPrice(offered, billingCycle) : subscription.priceCents;
    const periodEnd = periodEndAfter(createdAt, billingCycle, currentPeriodEnd);
    // One that is issued late is not overdue already: a voided one's successor, or one that was postponed.
    const payBy = latest(currentPeriodEnd, wallet.now);
    const invoice = issueInvoice(deps, wallet, {
      kind: 'PLAN',
      lines: [invoiceLineForPeriod(subscription, priceCents, [currentPeriodEnd, periodEnd])],
      subjectId: id,
      payBy,
    });
    const next = { invoiceId: invoice.id, payBy, periodEnd };
    const set = { renewal: next, priceCents, ...schedule(Subscription, timestampAfter(payBy, SUSPEND_AFTER_MS)) };
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

/** Returns the subscription whose next period an invoice is for, unless it is cancelled. */
async function findRenewed(
  deps: Deps,
  { accountId, subjectId: id = '', id: invoiceId }: Invoice,
): Promise<Subscription | undefined> {
  const found = await deps.table.get(Subscription, { accountId, id });
  return found?.renewal?.invoiceId === invoiceId && found.status !== 'CANCELLED' ? found : undefined;
}

/** Returns the writes by which nothing is owed for a next period, once. What was suspended is active again. */
function settleRenewal(subscription: Subscription, set: Change['set']): Write[] {
  const { accountId, id, status, renewal } = subscription;
  const when = { 'renewal.invoiceId': { is: renewal?.invoiceId ?? '' }, status: { is: status } };
  const what = { set: { status: 'ACTIVE', ...set }, remove: ['renewal'], when };
  const restored = status === 'SUSPENDED' ? accountPlanChange(subscription) : {};
  return [
    change(Subscription, { accountId, id }, what, concurrentUpdate),
    ...(restored.set ? [change(Account, { id: accountId }, restored)] : []),
  ];
}

/** The event of a subscription that is active, for another period or again. */
const activated = (deps: Deps, { accountId, id, plan }: Subscription): Write =>
  emit(deps, accountId, 'subscription.activated', { subscriptionId: id, plan: plan.slug });

/** Adds the period that a paid invoice is for, once. What was suspended is active again. */
export async function addPaidPeriod(deps: Deps, invoice: Invoice): Promise<void> {
  const subscription = await findRenewed(deps, invoice);
  if (!subscription?.renewal) return;
  const { accountId, id, renewal } = subscription;
  const { periodEnd: currentPeriodEnd } = renewal;
  const period = { currentPeriodEnd, ...schedule(Subscription, nextInvoiceAt(currentPeriodEnd)) };
  const writes = [...settleRenewal(subscription, period), activated(deps, subscription)];
  const about = { action: 'subscription.renewed', accountId, subjectId: id } as const;
  const audited = {
    ...about,
    before: viewSubscription(subscription),
    after: { ...viewSubscription(subscription), status: 'ACTIVE', currentPeriodEnd },
  };
  // On a conflict it was added before, or cancelled meanwhile.
  await ignoreConflict(deps.commit(writes, undefined, audited));
}

/**
 * An invoice for a next period was made void by operators, whose act the audit log has: the period is invoiced when the present one
 * ends, or tomorrow.
 */
export async function forgetRenewal(deps: Deps, invoice: Invoice): Promise<void> {
  const subscription = await findRenewed(deps, invoice);
  if (!subscription) return;
  const { status, currentPeriodEnd } = subscription;
  const tomorrow = timestampAfter(deps.now().toISOString(), DAY_MS);
  const next = schedule(Subscription, currentPeriodEnd > tomorrow ? currentPeriodEnd : tomorrow);
  const writes = [
    ...settleRenewal(subscription, next),
    ...(status === 'SUSPENDED' ? [activated(deps, subscription)] : []),
  ];
  // On a conflict it was done before, or the subscription was cancelled meanwhile.
  await ignoreConflict(deps.table.transact(writes));
}

/**
 * Returns the change of an account when a subscription is served no longer: its applications follow the plan that is active, or else the
 * largest of those that are cancelled and paid still, or the one that every account has.
 */
function planAfter({ id, plan }: Pick<Subscription, 'id' | 'plan'>, all: readonly Subscription[], now: string): Change {
  if (plan.category !== 'APP') return {};
  const served = all.filter(
    (each) =>
      each.id !== id &&
      each.plan.category === 'APP' &&
      (each.status === 'ACTIVE' || (each.status === 'CANCELLED' && each.currentPeriodEnd > now)),
  );
  const order = ({ status, plan: { appLimit = 0 } }: Subscription) =>
    status === 'ACTIVE' ? Number.POSITIVE_INFINITY : appLimit;
  const [next] = served.sort((a, b) => order(b) - order(a));
  return next ? accountPlanChange(next) : { set: { plan: DEFAULT_PLAN } };
}

/** Returns the time at which a subscription is suspended, or cancelled where it is suspended, unless its invoice is paid. */
function nextStepAt({ status, renewal }: Subscription, { resumedAt }: Account): string {
  const payBy = latest(renewal?.payBy ?? '', resumedAt);
  if (status === 'ACTIVE') return timestampAfter(payBy, SUSPEND_AFTER_MS);
  const cancelsAt = timestampAfter(payBy, CANCEL_AFTER_MS);
  // Earlier versions did not store the time of a suspension.
  const { suspendedAt } = renewal ?? {};
  return suspendedAt === undefined ? cancelsAt : latest(cancelsAt, timestampAfter(suspendedAt, MIN_SUSPENDED_MS));
}

/** Suspends a subscription within a transaction. @returns what the audit log has of it */
function suspendUnpaid(wallet: Wallet, { accountId, id, status }: Subscription, { id: invoiceId }: Invoice) {
  const suspended = { status: 'SUSPENDED', 'renewal.suspendedAt': wallet.now };
  const set = { ...suspended, ...schedule(Subscription, timestampAfter(wallet.now, MIN_SUSPENDED_MS)) };
  const when = { status: { is: status }, 'renewal.invoiceId': { is: invoiceId } };
  wallet.add(
    change(Subscription, { accountId, id }, { set, when }, concurrentUpdate),
    // One that was paid since it was read renews the plan, which must not be suspended after that.
    check(Invoice, { accountId, id: invoiceId }, { status: { is: 'UNPAID' } }, concurrentUpdate),
  );
  return { action: 'subscription.suspended', after: 'SUSPENDED' } as const;
}

/** Cancels a suspended subscription within a transaction. @returns what the audit log has of it */
function cancelUnpaid(deps: Deps, wallet: Wallet, owned: OwnedSubscription) {
  cancelWithin(deps, wallet, owned, { endsNow: true });
  return { action: 'subscription.cancelled', after: 'CANCELLED' } as const;
}

/** Does what the time has come for with an unpaid invoice: suspends, then cancels what has been suspended for long enough. */
async function runDunning(deps: Deps, { accountId, id }: Subscription): Promise<Invoice | undefined> {
  const read = async () => ({
    owned: await findOwned(deps, accountId, id)(),
    all: await deps.table.all(Subscription, subscriptionsOf(accountId)),
  });
  return await withWallet(deps, accountId, read, async (wallet, { owned, all }) => {
    const { subscription, renewal } = owned;
    const { status } = subscription;
    if (status === 'CANCELLED' || !renewal) return undefined;
    // The stream has it, or lost it: then it is done here.
    if (renewal.status !== 'UNPAID') return renewal;
    const next = nextStepAt(subscription, wallet.account);
    const again = postponedTo(wallet) ?? (next > wallet.now ? next : undefined);
    if (again) return await reschedule(deps, subscription, again);
    // One that is looked at late, after a long stop or out of quarantine, is suspended first as well.
    const { action, after } =
      status === 'ACTIVE' ? suspendUnpaid(wallet, subscription, renewal) : cancelUnpaid(deps, wallet, owned);
    const before = viewSubscription(subscription);
    return await deps.commit(
      wallet.writes(planAfter(subscription, all, wallet.now)),
      undefined,
      wallet.audited(action, id, { ...before, status: after }, before),
    );
  });
}

/** A cancelled subscription's paid time is over: the account follows what it has besides, unless another plan replaced it already. */
const endCancelled = (deps: Deps, { accountId, id, plan }: Subscription): Promise<void> =>
  retryOnConflict(async () => {
    // Before the subscriptions: a purchase in between changes the wallet, so that this begins again.
    const account = await deps.table.get(Account, { id: accountId });
    const all = await deps.table.all(Subscription, subscriptionsOf(accountId));
    const { set } = planAfter({ id, plan }, all, deps.now().toISOString());
    const over = change(Subscription, { accountId, id }, { remove: unschedule(Subscription) });
    const isServed = set !== undefined && account?.plan.slug === plan.slug;
    const writes: Write[] = [over];
    if (isServed) {
      const when = { ...balanceIs(account), 'plan.slug': { is: plan.slug } };
      writes.push(change(Account, { id: accountId }, { set, when }, concurrentUpdate));
      // One that is paid for is served again, which moves no money of the wallet.
      const suspended = all.filter((each) => each.status === 'SUSPENDED' && each.plan.category === 'APP');
      for (const each of suspended)
        writes.push(check(Subscription, each, { status: { is: 'SUSPENDED' } }, concurrentUpdate));
    }
    const audited = { action: 'subscription.ended', accountId, subjectId: id, before: { plan } } as const;
    await deps.commit(writes, undefined, { ...audited, after: isServed ? set : {} });
  });

/** Takes the next due step of one subscription. */
async function advance(deps: LifecycleDeps, subscription: Subscription): Promise<void> {
  if (subscription.status === 'CANCELLED') return await endCancelled(deps, subscription);
  if (!subscription.renewal) return await invoiceNextPeriod(deps, subscription);
  const settled = await runDunning(deps, subscription);
  if (settled?.status === 'PAID') await addPaidPeriod(deps, settled);
  else if (settled) await forgetRenewal(deps, settled);
}

/** Subscriptions to invoice for the next period, to suspend or cancel because they are not paid, or to end. */
export const subscriptionQueue: DueQueue<typeof Subscription, LifecycleDeps> = {
  queue: 'SUBSCRIPTION',
  entity: Subscription,
  act: advance,
};

/** The due queues of billing, each with the job that sweeps it. */
export const billingSweeps = (deps: LifecycleDeps & PaymentDeps): Record<string, SweepJob> => ({
  topUps: sweepJob(deps, topUpQueue),
  subscriptions: sweepJob(deps, subscriptionQueue),
  invoices: sweepJob(deps, invoiceQueue),
});
