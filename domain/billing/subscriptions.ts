import type { AuditAction } from '../../contract/audit/actions.ts';
import { DEFAULT_PLAN } from '../../contract/billing/plans.ts';
import type {
  cancelSubscription as CancelRoute,
  createSubscription as CreateRoute,
  listSubscriptions as ListRoute,
} from '../../contract/billing/subscriptions.ts';
import { ApiError } from '../../contract/errors.ts';
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
import { pageBody, pageOf } from '../pages.ts';
import { DAY_MS, timestampBefore } from '../time.ts';
import { emit } from '../webhooks/events.ts';
import { viewInvoice } from './invoice-views.ts';
import { issuePaidInvoice, type Line, voidInvoice } from './invoices.ts';
import { addVat } from './money.ts';
import { periodEndAfter } from './periods.ts';
import { type Plan, periodPrice, type ReadPlans } from './plans.ts';
import { readNothing, type Wallet, withWallet } from './wallet.ts';

/** The next period is invoiced this long before the paid one ends, in milliseconds (design, Billing). */
const INVOICE_LEAD_MS = 7 * DAY_MS;

/** Returns the time at which the next period of a paid subscription is invoiced. */
export const nextInvoiceAt = (periodEnd: string) => timestampBefore(periodEnd, INVOICE_LEAD_MS);

/** The subscription as the API shows it. */
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
): Line {
  const what = hostingDomain ? `${plan.name} for ${hostingDomain}` : plan.name;
  const days = `${from.slice(0, 10)} to ${to.slice(0, 10)}`;
  return { description: `${what}, ${billingCycle.toLowerCase()}, ${days}`, ...addVat(priceCents) };
}

/** The change of an account by which its application limit is that of a plan; none for other plans. */
export const accountPlanChange = ({ plan }: Pick<Subscription, 'plan'>): Change =>
  plan.category === 'APP'
    ? { set: { plan: { slug: plan.slug, name: plan.name, appLimit: plan.appLimit ?? DEFAULT_PLAN.appLimit } } }
    : {};

const invalidDomain = (why: string) => new ApiError('invalid_request', `hostingDomain: ${why}`);

function validateHostingDomain({ category }: Plan, given: string | undefined): string | null {
  if (category === 'APP') return null;
  if (given === undefined) throw invalidDomain('is required for this plan');
  if (!isHostName(given)) throw invalidDomain('must be a domain name, e.g. example.co.za');
  return given;
}

export interface OwnedSubscription {
  subscription: Subscription;
  /** The invoice for the next period, where it is issued. */
  renewal: Invoice | undefined;
}

const withRenewal = async (deps: Deps, subscription: Subscription): Promise<OwnedSubscription> => {
  const { accountId, renewal } = subscription;
  return {
    subscription,
    renewal: renewal && (await deps.table.get(Invoice, { accountId, id: renewal.invoiceId })),
  };
};

/** Everything that the account has and has not cancelled. */
async function readOwned(deps: Deps, accountId: string): Promise<OwnedSubscription[]> {
  const all = await deps.table.all(Subscription, subscriptionsOf(accountId));
  return await Promise.all(all.filter(({ status }) => status !== 'CANCELLED').map((each) => withRenewal(deps, each)));
}

/**
 * POST /dashboard/v1/subscriptions: bought from the wallet in one transaction. Throws 402 `insufficient_funds`; 400 for a
 * plan that is not on sale, or hosting of an extension that is; 409 for what the account has, or for a smaller plan that
 * allows fewer applications than there are.
 * @param deps `tlds`: the extensions on sale (domain/registrar/tlds.ts)
 */
export const createSubscription = (
  deps: Deps & { plans: ReadPlans; txt: TxtRecords; tlds: () => Promise<readonly { tld: string }[]> },
  { accountId }: Pick<Caller, 'accountId'>,
  order: Input<typeof CreateRoute>,
): Promise<Output<typeof CreateRoute>> =>
  subscribe(deps, accountId, order, {
    action: 'subscription.created',
    async claim(domain) {
      // Of a name below which we sell domains no account can be the owner: it is a mistyped domain.
      if ((await deps.tlds()).some(({ tld }) => tld === domain))
        throw invalidDomain(`must be a domain name under ${domain}, e.g. example.${domain}`);
      return await claimHostingDomain(deps, accountId, domain);
    },
    support: () => undefined,
  });

/**
 * For operators: the same, the first period paid by us. The domain is claimed when its account on the server is
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
    support: (wallet, { description, amountCents }) => wallet.move('ADJUSTMENT', amountCents, `Given: ${description}`),
  });

interface Purchase {
  action: AuditAction;
  /** Decides whether the account may host a domain, and makes the write that says so. */
  claim(domain: string): Promise<((subscriptionId: string) => Write) | undefined>;
  /** Called with what is to be paid, before it is. */
  support(wallet: Wallet, line: Line): void;
}

async function subscribe(
  deps: Deps & { plans: ReadPlans },
  accountId: string,
  { plan: slug, billingCycle, hostingDomain: given }: Input<typeof CreateRoute>,
  { action, claim, support }: Purchase,
): Promise<Output<typeof CreateRoute>> {
  const plan = (await deps.plans()).find((each) => each.slug === slug && each.onSale);
  if (!plan) throw new ApiError('invalid_request', 'plan: is not on sale');
  const hostingDomain = validateHostingDomain(plan, given);
  const { name, category, appLimit, storageGb } = plan;
  return await withWallet(deps, accountId, readNothing, async (wallet) => {
    // After the wallet: a purchase in between changes the wallet, so that this one begins again.
    const owned = await readOwned(deps, accountId);
    const claimDomain = hostingDomain ? await claim(hostingDomain) : undefined;
    const replaced = category === 'APP' ? owned.filter(({ subscription }) => subscription.plan.category === 'APP') : [];
    if (replaced.some(({ subscription }) => subscription.plan.slug === slug))
      throw new ApiError('conflict', `You have a subscription to ${name} already.`);
    if (hostingDomain) assertNoOther(plan, hostingDomain, owned, wallet.now);
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
    support(wallet, line);
    const invoice = issuePaidInvoice(deps, wallet, { kind: 'PLAN', lines: [line], subjectId: subscription.id });
    // Looked at again when what is paid of it ends: it may be the account's plan again until then.
    for (const old of replaced) cancelWithin(deps, wallet, old);
    const activated = { subscriptionId: subscription.id, plan: slug };
    if (claimDomain) wallet.add(claimDomain(subscription.id));
    wallet.add(create(Subscription, subscription), emit(deps, accountId, 'subscription.activated', activated));
    const before = wallet.account.plan.appLimit;
    const isLarger = appLimit >= before;
    // An account that exceeds its plan may buy a larger one that is still too small for it.
    const room: Change['when'] = isLarger ? { 'plan.appLimit': { is: before } } : { appCount: { below: appLimit + 1 } };
    const more = { ...accountPlanChange(subscription), ...(category === 'APP' ? { when: room } : {}) };
    return await deps.commit(
      wallet.writes(more, isLarger ? concurrentUpdate : tooManyApps),
      {
        data: { ...viewSubscription(subscription), invoice: viewInvoice(invoice) },
      },
      wallet.audited(action, subscription.id, viewSubscription(subscription)),
    );
  });
}

/** Throws 409 for a second plan of a kind for a domain. Of one whose time is over, cancelling deletes everything at once. */
function assertNoOther({ category }: Plan, domain: string, owned: readonly OwnedSubscription[], now: string): void {
  const had = owned.map(({ subscription }) => subscription).filter(({ hostingDomain }) => hostingDomain === domain);
  const same = had.find(({ plan }) => plan.category === category);
  if (!same) return;
  const { currentPeriodEnd, plan } = same;
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
 * Cancels within a transaction; an unpaid invoice for the next period becomes void.
 * @param options.endsNow true where nothing is paid beyond now: it is not looked at again
 */
export function cancelWithin(
  deps: Pick<Deps, 'now'>,
  wallet: Wallet,
  { subscription, renewal }: OwnedSubscription,
  { endsNow = false }: { endsNow?: boolean } = {},
): void {
  const { accountId, id, status, plan, currentPeriodEnd } = subscription;
  if (renewal?.status === 'UNPAID') voidInvoice(wallet, renewal);
  // Paid, and not yet added to the period: it stays usable as well.
  const end = renewal?.status === 'PAID' ? (subscription.renewal?.periodEnd ?? currentPeriodEnd) : currentPeriodEnd;
  const set = { status: 'CANCELLED', cancelledAt: wallet.now, currentPeriodEnd: end };
  const due = endsNow ? {} : schedule(Subscription, end);
  // An invoice that is issued meanwhile would be paid for nothing.
  const when = { status: { is: status }, 'renewal.invoiceId': unchanged(subscription.renewal?.invoiceId) };
  const what = { set: { ...set, ...due }, remove: ['renewal', ...(endsNow ? unschedule(Subscription) : [])], when };
  wallet.add(
    change(Subscription, { accountId, id }, what, concurrentUpdate),
    emit(deps, accountId, 'subscription.cancelled', { subscriptionId: id, plan: plan.slug }),
  );
}

/** GET /dashboard/v1/subscriptions: an account has few, so one read brings them all, and as they are at this moment. */
export async function listSubscriptions(
  deps: Deps,
  { accountId }: Caller,
  page: Input<typeof ListRoute>,
): Promise<Output<typeof ListRoute>> {
  return pageBody(pageOf(await deps.table.all(Subscription, subscriptionsOf(accountId)), page), viewSubscription);
}

/** A subscription with its next invoice. Throws 404. */
export const findOwned = (deps: Deps, accountId: string, id: string) => async (): Promise<OwnedSubscription> => {
  const subscription = await deps.table.get(Subscription, { accountId, id });
  if (!subscription) throw new ApiError('not_found', 'Subscription not found.');
  return await withRenewal(deps, subscription);
};

/** DELETE /dashboard/v1/subscriptions/{id}: at once in status and event; what is paid stays usable (design, Billing). */
export const cancelSubscription = (
  deps: Deps,
  { accountId }: Caller,
  { id }: Input<typeof CancelRoute>,
): Promise<Output<typeof CancelRoute>> =>
  withWallet(deps, accountId, findOwned(deps, accountId, id), async (wallet, owned) => {
    if (owned.subscription.status === 'CANCELLED')
      throw new ApiError('conflict', 'This subscription is cancelled already.');
    cancelWithin(deps, wallet, owned);
    const before = viewSubscription(owned.subscription);
    const after = { ...before, status: 'CANCELLED' };
    return await deps.commit(wallet.writes(), { data: { id, deleted: true } }, { before, after });
  });

/**
 * Cancels an account's hosting of a domain that another account has proven to be its own. What is paid is not returned:
 * the account ordered hosting for a domain that it never proved, or no longer owns. May be repeated.
 */
export async function cancelHostingOf(deps: Deps, accountId: string, domain: string): Promise<void> {
  const held = await deps.table.get(HostingDomain, { domain });
  // It proved the domain since: what its subscriptions had on a server before is gone, what they have now is not.
  const isBack = held?.accountId === accountId;
  const owned = await readOwned(deps, accountId);
  for (const { subscription } of owned.filter((each) => each.subscription.hostingDomain === domain)) {
    const account = isBack ? await deps.table.get(HostingAccount, subscription) : undefined;
    if (isBack && account?.status !== 'REMOVED') continue;
    await withWallet(deps, accountId, findOwned(deps, accountId, subscription.id), async (wallet, found) => {
      if (found.subscription.status === 'CANCELLED') return;
      cancelWithin(deps, wallet, found);
      const before = viewSubscription(found.subscription);
      const reason = `Another account proved that ${domain} is its own.`;
      const after = { ...before, status: 'CANCELLED', reason };
      const change = wallet.audited('subscription.cancelled', before.id, after, before);
      await commitAsPlatform(deps, wallet.writes(), undefined, change);
    });
  }
}
