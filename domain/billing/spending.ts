import { SPENDING_MONTHS, type getSpending as SpendingRoute } from '../../contract/billing/invoices.ts';
import type { InvoiceKind } from '../../contract/enums.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Output } from '../../contract/route.ts';
import { Invoice, invoicesOf, Subscription, subscriptionsOf } from '../../table/entities/billing.ts';
import type { Caller, Deps } from '../deps.ts';
import { monthOf } from '../time.ts';
import { addVat, formatRand } from './money.ts';

/** Maximum number of invoices that one request reads: several for each day. */
const MAX_INVOICES = 5000;

/** Returns the {@link SPENDING_MONTHS} months that end with a time's month, oldest first, as `2026-01`. */
const monthsUntil = (now: Date): string[] =>
  Array.from({ length: SPENDING_MONTHS }, (_, index) =>
    monthOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - SPENDING_MONTHS + 1 + index))),
  );

/** GET /dashboard/v1/spending */
export async function readSpending(deps: Deps, { accountId }: Caller): Promise<Output<typeof SpendingRoute>> {
  const now = deps.now();
  const months = monthsUntil(now);
  // Invoices are sorted by number, which begins with the year.
  const [invoices, subscriptions] = await Promise.all([
    deps.table.since(Invoice, invoicesOf(accountId), `${months[0]?.slice(0, 4)}-`, MAX_INVOICES),
    deps.table.all(Subscription, subscriptionsOf(accountId)),
  ]);
  if (invoices.length === MAX_INVOICES)
    throw new ApiError(
      'invalid_request',
      'The account has too many invoices for this summary. List the invoices instead.',
    );
  const cents = new Map<string, number>();
  for (const { status, issuedAt, kind, amountCents } of invoices) {
    if (status === 'VOID') continue;
    const key = `${monthOf(issuedAt)} ${kind}`;
    cents.set(key, (cents.get(key) ?? 0) + amountCents);
  }
  const centsOf = (month: string, kind: InvoiceKind) => cents.get(`${month} ${kind}`) ?? 0;
  const totalOf = (month: string) => centsOf(month, 'PLAN') + centsOf(month, 'DOMAIN') + centsOf(month, 'AI_CREDITS');

  const thisMonth = monthOf(now);
  const active = subscriptions.filter(({ status }) => status === 'ACTIVE');
  const grossOf = ({ priceCents }: Subscription) => addVat(priceCents).amountCents;
  // This month's total already includes renewals that have been invoiced.
  const due = active.filter(({ renewal, currentPeriodEnd }) => !renewal && monthOf(currentPeriodEnd) === thisMonth);
  const recurring = active.reduce(
    (sum, subscription) =>
      sum + (subscription.billingCycle === 'YEARLY' ? Math.round(grossOf(subscription) / 12) : grossOf(subscription)),
    0,
  );
  return {
    data: {
      months: months.map((month) => ({
        month,
        plans: formatRand(centsOf(month, 'PLAN')),
        domains: formatRand(centsOf(month, 'DOMAIN')),
        aiCredits: formatRand(centsOf(month, 'AI_CREDITS')),
        total: formatRand(totalOf(month)),
      })),
      forecast: {
        total: formatRand(due.reduce((sum, subscription) => sum + grossOf(subscription), totalOf(thisMonth))),
        renewals: due.map((subscription) => ({
          subscriptionId: subscription.id,
          plan: subscription.plan.name,
          at: subscription.currentPeriodEnd,
          amount: formatRand(grossOf(subscription)),
        })),
      },
      recurringMonthly: formatRand(recurring),
    },
  };
}
