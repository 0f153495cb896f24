// Until their areas have landed: operations as the design has them. This file goes when they are all in contract/.
import * as z from 'zod/mini';
import { Deleted, Id, Money, many, one, Page, Timestamp } from '../contract/envelope.ts';
import { route } from '../contract/route.ts';

const access = 'any' as const;
const tag = 'Dashboard';
const summary = '';

// billing
const Subscription = () =>
  z.object({
    id: z.string(),
    plan: z.object({ slug: z.string(), name: z.string(), category: z.enum(['WEB', 'EMAIL', 'APP']) }),
    status: z.enum(['ACTIVE', 'SUSPENDED', 'CANCELLED']),
    billingCycle: z.enum(['MONTHLY', 'YEARLY']),
    hostingDomain: z.nullable(z.string()),
    currentPeriodEnd: Timestamp,
    invoiceId: z.optional(z.string()),
    createdAt: Timestamp,
  });
export const listSubscriptions = route({
  id: 'listSubscriptions',
  method: 'GET',
  path: '/dashboard/v1/subscriptions',
  access,
  tag,
  summary,
  query: Page,
  response: () => many(Subscription()),
});
export const createSubscription = route({
  id: 'createSubscription',
  method: 'POST',
  path: '/dashboard/v1/subscriptions',
  access,
  tag,
  summary,
  body: z.object({
    plan: z.string(),
    billingCycle: z.enum(['MONTHLY', 'YEARLY']),
    hostingDomain: z.optional(z.string()),
  }),
  response: () => one(Subscription()),
});
export const cancelSubscription = route({
  id: 'cancelSubscription',
  method: 'DELETE',
  path: '/dashboard/v1/subscriptions/{id}',
  access,
  tag,
  summary,
  params: Id,
  response: Deleted,
});
const Rand = z.string().check(z.regex(/^\d{1,7}\.\d{2}$/, 'must be rand with two decimals, e.g. 100.00'));
export const createTopUp = route({
  id: 'createTopUp',
  method: 'POST',
  path: '/dashboard/v1/wallet/topups',
  access,
  tag,
  summary,
  body: z.object({ amount: Rand }),
  response: () => one(z.object({ paymentId: z.string(), amount: Money, status: z.string(), paymentUrl: z.string() })),
});
export const setAutoTopUp = route({
  id: 'setAutoTopUp',
  method: 'PUT',
  path: '/dashboard/v1/wallet/auto-top-up',
  access,
  tag,
  summary,
  body: z.object({ enabled: z.boolean(), threshold: Rand, amount: Rand }),
  response: () => one(z.object({ enabled: z.boolean() })),
});
export const payInvoice = route({
  id: 'payInvoice',
  method: 'POST',
  path: '/dashboard/v1/invoices/{id}/pay',
  access,
  tag,
  summary,
  params: Id,
  response: () => one(z.object({ id: z.string() })),
});
// frameworks
export const listLogLines = route({
  id: 'listLogLines',
  method: 'GET',
  path: '/dashboard/v1/apps/{id}/logs',
  access,
  tag,
  summary,
  params: Id,
  query: z.object({ after: z.optional(z.string()) }),
  response: () =>
    z.object({ data: z.array(z.object({ n: z.int(), at: Timestamp, text: z.string() })), has_more: z.boolean() }),
});
// push
export const rollback = route({
  id: 'rollback',
  method: 'POST',
  path: '/dashboard/v1/apps/{id}/rollback',
  access,
  tag,
  summary,
  params: Id,
  body: z.object({ deploymentId: z.string() }),
  response: () => one(z.object({ id: z.string(), applicationId: z.string() })),
});
