import type { AuditAction } from '../../contract/audit/actions.ts';
import type {
  cancelSubscription as CancelRoute,
  createSubscription as CreateRoute,
  listSubscriptions as ListRoute,
} from '../../contract/billing/subscriptions.ts';
import { ApiError, invalidField } from '../../contract/errors.ts';
import { isHostName } from '../../contract/host-names/host-names.ts';
import type { Input, Output } from '../../contract/route.ts';
import type { TxtRecords } from '../../providers/dns/txt-records.ts';
import { Invoice, Subscription, subscriptionsOf } from '../../table/entities/billing.ts';
import { HostingAccount, HostingDomain } from '../../table/entities/hosting.ts';
import { type Change, unchanged } from '../../table/expressions.ts';
import { schedule, unschedule } from '../../table/schedule.ts';
import { change, create, type Write } from '../../table/writes.ts';
import { commitAsPlatform } from '../audit/record.ts';
import { concurrentUpdate } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import { claimHostingDomain } from '../hosting/domains.ts';
import { newAccount } from '../hosting/new-account.ts';
import { pageBody, pageOf } from '../pages.ts';
import { DAY_MS, timestampBefore } from '../time.ts';
import { emit } from '../webhooks/events.ts';
import { accountPlanChange } from './account-plan.ts';
import { viewInvoice } from './invoice-views.ts';
import { type InvoiceLine, issuePaidInvoice, voidInvoice } from './invoices.ts';
import { addVat } from './money.ts';
import { periodEndAfter } from './periods.ts';
import { type Plan, periodPrice, type ReadPlans } from './plans.ts';
import { readNothing, type Wallet, withWallet } from './wallet.ts';

/** Time before the end of the paid period at which the next one is invoiced, in milliseconds. */
const INVOICE_LEAD_MS = 7 * DAY_MS;

/** Returns the time at which the next period of a paid subscription is invoiced. */
export const nextInvoiceAt = (periodEnd: string) => timestampBefore(periodEnd, INVOICE_LEAD_MS);

/** Returns a subscription as the API shows it. */
export function viewSubscription(subscription: Subscription): Output<typeof ListRoute>['data'][number] {
  const { id, plan, status, billingCycle, hostingDomain, currentPeriodEnd, createdAt, cancelledAt } = subscription;
  const { slug, name, category } = plan;
  return {
    id,
    plan: { slug, name, category },
    status,
    billingCycle,
    hostingDomain,
    currentPeriodEnd,
    createdAt,
    cancelledAt,
  };
}

/** Returns the invoice line for a period of a plan. */
export function invoiceLineForPeriod(
  { plan, hostingDomain, billingCycle }: Pick<Subscription, 'plan' | 'hostingDomain' | 'billingCycle'>,
  priceCents: number,
  [from, to]: [string, string],
): InvoiceLine {
  const item = hostingDomain ? `${plan.name} for ${hostingDomain}` : plan.name;
  const period = `${from.slice(0, 10)} to ${to.slice(0, 10)}`;
  return { description: `${item}, ${billingCycle.toLowerCase()}, ${period}`, ...addVat(priceCents) };
}

const invalidDomain = (reason: string) => invalidField('hostingDomain', reason);

function validateHostingDomain({ category }: Plan, given: string | undefined): string | null {
  if (category === 'APP') return null;
  if (given === undefined) throw invalidDomain('is required for this plan');
  if (!isHostName(given)) throw invalidDomain('must be a domain name, e.g. example.co.za');
  return given;
}

export interface OwnedSubscription {
  subscription: Subscription;
  /** The invoice for the next period, if it has been issued. */
  renewal: Invoice | undefined;
}

const withRenewal = async (deps: Deps, subscription: Subscription): Promise<OwnedSubscription> => {
  const { accountId, renewal } = subscription;
  return {
    subscription,
    renewal: renewal && (await deps.table.get(Invoice, { accountId, id: renewal.invoiceId })),
  };
};

/** Reads the account's subscriptions that are not cancelled. */
async function readOwned(deps: Deps, accountId: string): Promise<OwnedSubscription[]> {
  const all = await deps.table.all(Subscription, subscriptionsOf(accountId));
  const current = all.filter(({ status }) => status !== 'CANCELLED');
  return await Promise.all(current.map((subscription) => withRenewal(deps, subscription)));
}

/**
 * POST /dashboard/v1/subscriptions. Buys a subscription from the wallet in one transaction. Throws 402 `insufficient_funds`; 400 for a plan that
 * is not on sale, and for hosting of a TLD that the platform sells; 409 for a plan that the account already has, and for a smaller plan with a
 * lower limit than the account's number of applications.
 * @param deps `tlds`: the TLDs on sale (domain/registrar/tlds.ts)
 */
export const createSubscription = (
  deps: Deps & { plans: ReadPlans; txt: TxtRecords; tlds: () => Promise<readonly { tld: string }[]> },
  { accountId }: Pick<Caller, 'accountId'>,
  order: Input<typeof CreateRoute>,
): Promise<Output<typeof CreateRoute>> =>
  subscribe(deps, accountId, order, {
    action: 'subscription.created',
    async claim(domain) {
      // No account can own a TLD on sale, so the customer has mistyped the domain.
      if ((await deps.tlds()).some(({ tld }) => tld === domain))
        throw invalidDomain(`must be a domain name under ${domain}, e.g. example.${domain}`);
      return await claimHostingDomain(deps, accountId, domain);
    },
    beforePayment: () => undefined,
  });

/**
 * Creates a subscription whose first period the platform pays, for operators. The domain is claimed later, when its hosting account is
 * reconciled.
 */
export const grantSubscription = (
  deps: Deps & { plans: ReadPlans },
  accountId: string,
  order: Input<typeof CreateRoute>,
): Promise<Output<typeof CreateRoute>> =>
  subscribe(deps, accountId, order, {
    action: 'subscription.granted',
    claim: async () => undefined,
    beforePayment: (wallet, { description, amountCents }) =>
      wallet.move('ADJUSTMENT', amountCents, `Granted: ${description}`),
  });

interface Purchase {
  action: AuditAction;
  /** Checks that the account may host a domain, and returns the write that claims it for a subscription. */
  claim(domain: string): Promise<((subscriptionId: string) => Write) | undefined>;
  /** Called with the invoice line before it is paid. */
  beforePayment(wallet: Wallet, line: InvoiceLine): void;
}

async function subscribe(
  deps: Deps & { plans: ReadPlans },
  accountId: string,
  { plan: slug, billingCycle, hostingDomain: given }: Input<typeof CreateRoute>,
  { action, claim, beforePayment }: Purchase,
): Promise<Output<typeof CreateRoute>> {
  const plan = (await deps.plans()).find((offered) => offered.slug === slug && offered.onSale);
  if (!plan) throw invalidField('plan', 'is not on sale');
  const hostingDomain = validateHostingDomain(plan, given);
  const { name, category, appLimit, storageGb } = plan;
  return await withWallet(deps, accountId, readNothing, async (wallet) => {
    // Reads the subscriptions after the wallet: a purchase in between changes the wallet, so that this attempt fails and is repeated.
    const owned = await readOwned(deps, accountId);
    const claimDomain = hostingDomain ? await claim(hostingDomain) : undefined;
    const replaced = category === 'APP' ? owned.filter(({ subscription }) => subscription.plan.category === 'APP') : [];
    if (replaced.some(({ subscription }) => subscription.plan.slug === slug))
      throw new ApiError('conflict', `You already have a subscription to ${name}.`);
    if (hostingDomain) assertNoOtherPlan(plan, hostingDomain, owned, wallet.now);
    const priceCents = periodPrice(plan, billingCycle);
    const currentPeriodEnd = periodEndAfter(wallet.now, billingCycle, wallet.now);
    const subscription: Subscription = {
      id: deps.newId('sub'),
      accountId,
      billingCycle,
      status: 'ACTIVE',
      hostingDomain,
      priceCents,
      plan: { slug, name, category, appLimit, storageGb },
      currentPeriodEnd,
      dueAt: nextInvoiceAt(currentPeriodEnd),
      createdAt: wallet.now,
      cancelledAt: null,
    };
    const line = invoiceLineForPeriod(subscription, priceCents, [wallet.now, currentPeriodEnd]);
    beforePayment(wallet, line);
    const invoice = issuePaidInvoice(deps, wallet, { kind: 'PLAN', lines: [line], subjectId: subscription.id });
    // Stays scheduled for the end of its paid period: before that, it may become the account's plan again.
    for (const old of replaced) cancelWithin(deps, wallet, old);
    const activated = { subscriptionId: subscription.id, plan: slug };
    if (claimDomain) wallet.add(claimDomain(subscription.id));
    if (hostingDomain) wallet.add(create(HostingAccount, newAccount(deps, subscription)));
    wallet.add(create(Subscription, subscription), emit(deps, accountId, 'subscription.activated', activated));
    const before = wallet.account.plan.appLimit;
    const isLarger = appLimit >= before;
    // An account that exceeds its plan may buy a larger plan, even one that is still too small for it.
    const when: Change['when'] = isLarger ? { 'plan.appLimit': { is: before } } : { appCount: { below: appLimit + 1 } };
    const accountChange = { ...accountPlanChange(subscription, wallet.now), ...(category === 'APP' ? { when } : {}) };
    return await deps.commit(
      wallet.writes(accountChange, isLarger ? concurrentUpdate : tooManyApps),
      { data: { ...viewSubscription(subscription), invoice: viewInvoice(invoice) } },
      wallet.audited(action, subscription.id, viewSubscription(subscription)),
    );
  });
}

/** Throws 409 for a second plan of the same category for a domain. */
function assertNoOtherPlan({ category }: Plan, domain: string, owned: readonly OwnedSubscription[], now: string): void {
  const existing = owned
    .map(({ subscription }) => subscription)
    .find(({ hostingDomain, plan }) => hostingDomain === domain && plan.category === category);
  if (!existing) return;
  const { currentPeriodEnd, plan } = existing;
  // Cancelling a subscription whose paid period is over deletes its files and mail immediately.
  const advice =
    currentPeriodEnd > now
      ? `paid until ${currentPeriodEnd.slice(0, 10)}. To change the plan, cancel it and order again: files and mail stay, the full price ` +
        'is charged, and the rest of the paid period is not credited.'
      : 'which is not paid. Pay its invoice first: cancelling it now deletes its files and mail.';
  throw new ApiError('conflict', `You have ${plan.name} for ${domain}, ${advice}`);
}

const tooManyApps = () =>
  new ApiError('conflict', 'You have more applications than this plan allows. Delete some first.');

/**
 * Cancels a subscription within a transaction, and voids an unpaid invoice for its next period.
 * @param options.endsNow true if no paid time remains: the subscription is not scheduled again
 */
export function cancelWithin(
  deps: Pick<Deps, 'now'>,
  wallet: Wallet,
  { subscription, renewal }: OwnedSubscription,
  { endsNow = false }: { endsNow?: boolean } = {},
): void {
  const { accountId, id, status, plan, currentPeriodEnd } = subscription;
  if (renewal?.status === 'UNPAID') voidInvoice(wallet, renewal);
  // Includes a paid renewal whose period has not been added yet.
  const end = renewal?.status === 'PAID' ? (subscription.renewal?.periodEnd ?? currentPeriodEnd) : currentPeriodEnd;
  const set = { status: 'CANCELLED', cancelledAt: wallet.now, currentPeriodEnd: end };
  const due = endsNow ? {} : schedule(Subscription, end);
  // Otherwise an invoice that is issued concurrently would be paid for a cancelled subscription.
  const when = { status: { is: status }, 'renewal.invoiceId': unchanged(subscription.renewal?.invoiceId) };
  const update = { set: { ...set, ...due }, remove: ['renewal', ...(endsNow ? unschedule(Subscription) : [])], when };
  wallet.add(
    change(Subscription, { accountId, id }, update, concurrentUpdate),
    emit(deps, accountId, 'subscription.cancelled', { subscriptionId: id, plan: plan.slug }),
  );
}

/** GET /dashboard/v1/subscriptions. An account has few subscriptions, so each request reads all of them. */
export async function listSubscriptions(
  deps: Deps,
  { accountId }: Caller,
  page: Input<typeof ListRoute>,
): Promise<Output<typeof ListRoute>> {
  return pageBody(pageOf(await deps.table.all(Subscription, subscriptionsOf(accountId)), page), viewSubscription);
}

/** Returns a function that reads a subscription with the invoice for its next period. Throws 404. */
export const findOwned = (deps: Deps, accountId: string, id: string) => async (): Promise<OwnedSubscription> => {
  const subscription = await deps.table.get(Subscription, { accountId, id });
  if (!subscription) throw new ApiError('not_found', 'Subscription not found.');
  return await withRenewal(deps, subscription);
};

/** DELETE /dashboard/v1/subscriptions/{id}. Status and event change immediately; the plan stays usable until the paid period ends. */
export const cancelSubscription = (
  deps: Deps,
  { accountId }: Caller,
  { id }: Input<typeof CancelRoute>,
): Promise<Output<typeof CancelRoute>> =>
  withWallet(deps, accountId, findOwned(deps, accountId, id), async (wallet, owned) => {
    if (owned.subscription.status === 'CANCELLED')
      throw new ApiError('conflict', 'This subscription is already cancelled.');
    cancelWithin(deps, wallet, owned);
    const before = viewSubscription(owned.subscription);
    const after = { ...before, status: 'CANCELLED' };
    return await deps.commit(wallet.writes(), { data: { id, deleted: true } }, { before, after });
  });

/**
 * Cancels an account's hosting of a domain after another account has verified it. Payments are not refunded, because the account
 * ordered hosting for a domain that it never verified or no longer owns. Idempotent.
 */
export async function cancelHostingOf(deps: Deps, accountId: string, domain: string): Promise<void> {
  const claim = await deps.table.get(HostingDomain, { domain });
  // The account may have verified the domain again since. Then only subscriptions whose hosting account was removed are cancelled.
  const isOwnedAgain = claim?.accountId === accountId;
  const owned = await readOwned(deps, accountId);
  for (const { subscription } of owned.filter((item) => item.subscription.hostingDomain === domain)) {
    const account = isOwnedAgain ? await deps.table.get(HostingAccount, subscription) : undefined;
    if (isOwnedAgain && account?.status !== 'REMOVED') continue;
    await withWallet(deps, accountId, findOwned(deps, accountId, subscription.id), async (wallet, found) => {
      if (found.subscription.status === 'CANCELLED') return;
      cancelWithin(deps, wallet, found);
      const before = viewSubscription(found.subscription);
      const reason = `Another account verified that it owns ${domain}.`;
      const after = { ...before, status: 'CANCELLED', reason };
      const change = wallet.audited('subscription.cancelled', before.id, after, before);
      await commitAsPlatform(deps, wallet.writes(), undefined, change);
    });
  }
}
