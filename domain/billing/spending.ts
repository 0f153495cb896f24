import { SPENDING_MONTHS, type getSpending as SpendingRoute } from '../../contract/billing/invoices.ts';
import type { InvoiceKind } from '../../contract/enums.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Output } from '../../contract/route.ts';
import { Invoice, invoicesOf, Subscription, subscriptionsOf } from '../../table/entities/billing.ts';
import type { Caller, Deps } from '../deps.ts';
import { addVat, formatRand } from './money.ts';

/** Invoices that one request reads at most: several a day. */
const MAX_INVOICES = 5000;

const monthOf = (at: string | Date): string => new Date(at).toISOString().slice(0, 7);

/** Returns the months up to that of a time, oldest first: `2026-01`. */
export const monthsUntil = (now: Date): string[] =>
  Array.from({ length: SPENDING_MONTHS }, (_, index) =>
    monthOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - SPENDING_MONTHS + 1 + index))),
  );

/** GET /dashboard/v1/spending */
export async function readSpending(deps: Deps, { accountId }: Caller): Promise<Output<typeof SpendingRoute>> {
  const now = deps.now();
  const months = monthsUntil(now);
  // Invoices are listed by their numbers, which begin with the year.
  const [invoices, subscriptions] = await Promise.all([
    deps.table.since(Invoice, invoicesOf(accountId), `${months[0]?.slice(0, 4)}-`, MAX_INVOICES),
    deps.table.all(Subscription, subscriptionsOf(accountId)),
  ]);
  if (invoices.length === MAX_INVOICES)
    throw new ApiError('invalid_request', 'There are too many invoices for one response; list them instead.');
  const cents = new Map<string, number>();
  for (const { status, issuedAt, kind, amountCents } of invoices) {
    if (status === 'VOID') continue;
    const key = `${monthOf(issuedAt)} ${kind}`;
    cents.set(key, (cents.get(key) ?? 0) + amountCents);
  }
  const of = (month: string, kind: InvoiceKind) => cents.get(`${month} ${kind}`) ?? 0;
  const totalOf = (month: string) => of(month, 'PLAN') + of(month, 'DOMAIN') + of(month, 'AI_CREDITS');

  const thisMonth = monthOf(now);
  const active = subscriptions.filter(({ status }) => status === 'ACTIVE');
  const grossOf = ({ priceCents }: Subscription) => addVat(priceCents).amountCents;
  // One that is invoiced already is in this month's total.
  const due = active.filter(({ renewal, currentPeriodEnd }) => !renewal && monthOf(currentPeriodEnd) === thisMonth);
  const recurring = active.reduce(
    (sum, each) => sum + (each.billingCycle === 'YEARLY' ? Math.round(grossOf(each) / 12) : grossOf(each)),
    0,
  );
  return {
    data: {
      months: months.map((month) => ({
        month,
        plans: formatRand(of(month, 'PLAN')),
        domains: formatRand(of(month, 'DOMAIN')),
        aiCredits: formatRand(of(month, 'AI_CREDITS')),
        total: formatRand(totalOf(month)),
      })),
      forecast: {
        total: formatRand(due.reduce((sum, each) => sum + grossOf(each), totalOf(thisMonth))),
        renewals: due.map((each) => ({
          subscriptionId: each.id,
          plan: each.plan.name,
          at: each.currentPeriodEnd,
          amount: formatRand(grossOf(each)),
        })),
      },
      recurringMonthly: formatRand(recurring),
    },
  };
}
