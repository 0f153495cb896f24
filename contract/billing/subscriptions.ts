import * as z from 'zod/mini';
import { BILLING_CYCLES, PLAN_CATEGORIES, SUBSCRIPTION_STATUSES } from '../enums.ts';
import { Deleted, describe, Id, list, Page, resource, single, Timestamp } from '../envelope.ts';
import { route } from '../route.ts';
import { Invoice } from './invoices.ts';

/** A plan that the account has bought. It stays usable until `currentPeriodEnd`, even if it is cancelled. */
export const Subscription = resource('Subscription', () =>
  z.object({
    id: z.string(),
    plan: z.object({ slug: z.string(), name: z.string(), category: z.enum(PLAN_CATEGORIES) }),
    status: z.enum(SUBSCRIPTION_STATUSES),
    billingCycle: z.enum(BILLING_CYCLES),
    /** The hosted domain of a web or email hosting plan; null for other plans. */
    hostingDomain: z.nullable(z.string()),
    currentPeriodEnd: Timestamp(),
    createdAt: Timestamp(),
    cancelledAt: z.nullable(Timestamp()),
  }),
);

/** A new subscription with the invoice for its first period. */
const NewSubscription = resource('NewSubscription', () => z.extend(Subscription(), { invoice: Invoice() }));

const tag = 'Billing';

export const listSubscriptions = /* @__PURE__ */ route({
  id: 'listSubscriptions',
  method: 'GET',
  path: '/dashboard/v1/subscriptions',
  access: 'login',
  right: 'member',
  summary: 'List your subscriptions, newest first',
  tag,
  query: () => Page('sub'),
  response: () => list(Subscription()),
});

export const createSubscription = /* @__PURE__ */ route({
  id: 'createSubscription',
  method: 'POST',
  path: '/dashboard/v1/subscriptions',
  access: 'login',
  right: 'pay',
  audit: 'subscription.created',
  summary: 'Buy a plan from the wallet; a new application plan replaces the current one',
  tag,
  body: () =>
    z.object({
      plan: z
        .string()
        .check(z.minLength(1), z.maxLength(60))
        .register(z.globalRegistry, { examples: ['app-10'] }),
      billingCycle: z.enum(BILLING_CYCLES),
      hostingDomain: describe(
        z.optional(z.string().check(z.trim(), z.toLowerCase(), z.maxLength(253))),
        'The domain for a web or email hosting plan. Only one account can host a domain: the request fails with 409 if another account has proven, registered or verified it, unless the TXT record named in the message proves that it is yours.',
      ),
    }),
  status: 201,
  response: () => single(NewSubscription()),
  uses: ['dns'],
});

export const cancelSubscription = /* @__PURE__ */ route({
  id: 'cancelSubscription',
  method: 'DELETE',
  path: '/dashboard/v1/subscriptions/{id}',
  access: 'login',
  right: 'pay',
  audit: 'subscription.cancelled',
  summary: 'Cancel a subscription; it stays usable until the end of the paid period, and stays listed',
  tag,
  params: Id,
  response: Deleted,
});
