// Until their areas have landed: operations as the design has them. This file goes when they are all in contract/.
import * as z from 'zod/mini';
import { Deleted, Id, many, one, Page, Timestamp } from '../contract/envelope.ts';
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
