import { type Invoice, Subscription, subscriptionsOf } from '../../table/entities/billing.ts';
import { Account } from '../../table/entities.ts';
import { splitKey } from '../../table/keys.ts';
import { change } from '../../table/writes.ts';
import type { Deps } from '../deps.ts';
import { FIRST_PLAN } from '../first-plan.ts';
import { emit } from '../webhooks/events.ts';
import { issueInvoice } from './invoices.ts';
import { periodEndAfter } from './periods.ts';
import { type Plans, priceOf } from './plans.ts';
import {
  accountPlan,
  cancel,
  findOwned,
  lookAgainAt,
  NEVER_AGAIN,
  nextInvoiceAt,
  periodLine,
} from './subscriptions.ts';
import { Stale, stale, withWallet } from './wallet.ts';

/** What becomes of a subscription as time passes and its invoices are paid, or are not. */

const DAY = 24 * 3600_000;
/** An invoice overdue this long suspends, and this long cancels, in milliseconds (design, Billing). */
const SUSPENDED_AFTER = 7 * DAY;
const CANCELLED_AFTER = 30 * DAY;
const after = (time: string, milliseconds: number) => new Date(Date.parse(time) + milliseconds).toISOString();

type LifeDeps = Deps & { plans: Plans };

/** Issues the invoice for the next period. Paid at once where the balance allows; the stream then adds the period. */
const invoiceNextPeriod = (deps: LifeDeps, { accountId, id }: Subscription) =>
  withWallet(deps, accountId, findOwned(deps, accountId, id), async (wallet, { subscription }) => {
    const { status, renewal, plan, billingCycle, createdAt, currentPeriodEnd } = subscription;
    if (status !== 'ACTIVE' || renewal || nextInvoiceAt(currentPeriodEnd) > wallet.now) return;
    const offered = (await deps.plans()).find(({ slug }) => slug === plan.slug);
    const priceCents = offered ? priceOf(offered, billingCycle) : subscription.priceCents;
    const periodEnd = periodEndAfter(createdAt, billingCycle, currentPeriodEnd);
    const invoice = issueInvoice(deps, wallet, {
      kind: 'PLAN',
      lines: [periodLine(subscription, priceCents, [currentPeriodEnd, periodEnd])],
      ...{ subjectId: id, payBy: currentPeriodEnd },
    });
    const next = { invoiceId: invoice.id, payBy: currentPeriodEnd, periodEnd };
    const set = { renewal: next, priceCents, ...lookAgainAt(after(currentPeriodEnd, SUSPENDED_AFTER)) };
    wallet.add(
      change(Subscription, { accountId, id }, { set, when: { renewal: 'absent', status: { is: status } } }, stale),
    );
    await deps.commit(wallet.writes(), undefined);
  });

/** Adds the period that a paid invoice is for, once. What was suspended is active again. */
export async function addPaidPeriod(
  deps: Deps,
  { accountId, subjectId: id = '', id: invoiceId }: Invoice,
): Promise<void> {
  const subscription = await deps.table.get(Subscription, { accountId, id });
  const { renewal, status, plan } = subscription ?? {};
  if (!subscription || !plan || renewal?.invoiceId !== invoiceId || status === 'CANCELLED') return;
  const { periodEnd: currentPeriodEnd } = renewal;
  const set = { status: 'ACTIVE', currentPeriodEnd, ...lookAgainAt(nextInvoiceAt(currentPeriodEnd)) };
  const when = { 'renewal.invoiceId': { is: invoiceId }, status: { isNot: 'CANCELLED' } };
  const restored = status === 'SUSPENDED' ? accountPlan(subscription) : {};
  const writes = [
    change(Subscription, { accountId, id }, { set, remove: ['renewal'], when }, stale),
    emit(deps, accountId, 'subscription.activated', { subscriptionId: id, plan: plan.slug }),
    ...(restored.set ? [change(Account, { id: accountId }, restored)] : []),
  ];
  await deps.table.transact(writes).catch((error) => {
    // It was added before, or cancelled meanwhile.
    if (!(error instanceof Stale)) throw error;
  });
}

/** Does what the time has come for with an unpaid invoice: suspends, then cancels. */
const pressForPayment = (deps: Deps, { accountId, id }: Subscription) =>
  withWallet(deps, accountId, findOwned(deps, accountId, id), async (wallet, owned) => {
    const { subscription, renewal } = owned;
    const { status, plan } = subscription;
    const payBy = subscription.renewal?.payBy ?? '';
    if (status === 'CANCELLED' || !renewal || after(payBy, SUSPENDED_AFTER) > wallet.now) return undefined;
    // The stream has it, or lost it: then it is done here.
    if (renewal.status === 'PAID') return renewal;
    const fallBack = plan.category === 'APP' ? { set: { plan: FIRST_PLAN } } : {};
    if (after(payBy, CANCELLED_AFTER) <= wallet.now) cancel(deps, wallet, owned, NEVER_AGAIN);
    else if (status === 'ACTIVE') {
      const set = { status: 'SUSPENDED', ...lookAgainAt(after(payBy, CANCELLED_AFTER)) };
      wallet.add(change(Subscription, { accountId, id }, { set, when: { status: { is: status } } }, stale));
    } else return undefined;
    return await deps.commit(wallet.writes(fallBack), undefined);
  });

/** A cancelled subscription's paid time is over. */
async function endCancelled(deps: Deps, { accountId, id, plan }: Subscription): Promise<void> {
  const all = await deps.table.all(Subscription, subscriptionsOf(accountId));
  const hasAnother = all.some((each) => each.plan.category === 'APP' && each.status === 'ACTIVE');
  const fallBack = { set: { plan: FIRST_PLAN }, when: { 'plan.slug': { is: plan.slug } } };
  const falls = plan.category === 'APP' && !hasAnother;
  const over = change(Subscription, { accountId, id }, { remove: NEVER_AGAIN });
  const away = falls ? [change(Account, { id: accountId }, fallBack, stale)] : [];
  await deps.table.transact([over, ...away]).catch(async (error) => {
    // Another plan was bought meanwhile: only the subscription is over.
    if (!(error instanceof Stale)) throw error;
    await deps.table.transact([over]);
  });
}

/** What the time has come for with one subscription. */
async function tend(deps: LifeDeps, subscription: Subscription): Promise<void> {
  if (subscription.status === 'CANCELLED') return await endCancelled(deps, subscription);
  if (!subscription.renewal) return await invoiceNextPeriod(deps, subscription);
  const paid = await pressForPayment(deps, subscription);
  if (paid) await addPaidPeriod(deps, paid);
}

/** How many one run looks at. */
const BATCH = 100;

/**
 * Issues invoices for the next period, suspends and cancels what is not paid, ends what was cancelled.
 * @returns how many subscriptions were looked at
 */
export async function tendSubscriptions(deps: LifeDeps): Promise<number> {
  const now = deps.now().toISOString();
  const due = await deps.table.due('SUBSCRIPTION', now, BATCH);
  for (const { pk, sk: id } of due) {
    const [, accountId = ''] = splitKey(pk);
    const subscription = await deps.table.get(Subscription, { accountId, id });
    if (subscription?.lookAt && subscription.lookAt <= now) await tend(deps, subscription);
  }
  return due.length;
}
