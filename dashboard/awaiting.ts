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
// domains
const line = () => z.string().check(z.trim(), z.minLength(1), z.maxLength(255));
export const Registrant = () =>
  z.object({
    name: line(),
    email: line(),
    contactNumber: z
      .string()
      .check(z.regex(/^\+[1-9]\d{0,2}\.\d{4,14}$/, 'must be +<country code>.<number>, e.g. +27.215551234')),
    address1: line(),
    city: line(),
    province: line(),
    postalCode: line(),
    country: z.string().check(z.regex(/^[A-Z]{2}$/, 'must be a country code')),
  });
export const orderDomain = route({
  id: 'orderDomain',
  method: 'POST',
  path: '/v1/domains',
  access,
  tag,
  summary,
  body: z.object({
    domain: z.string().check(z.minLength(1)),
    years: z._default(z.int().check(z.minimum(1), z.maximum(10)), 1),
    registrant: Registrant(),
    nameservers: z.optional(z.array(z.string()).check(z.minLength(2), z.maxLength(5))),
  }),
  response: () =>
    one(
      z.object({
        invoice: z.object({
          id: z.string(),
          number: z.string(),
          status: z.enum(['UNPAID', 'PAID', 'VOID']),
          amount: Money,
        }),
      }),
    ),
});
const DNS = ['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'SRV', 'CAA', 'NS'] as const;
export const listDnsRecords = route({
  id: 'listDnsRecords',
  method: 'GET',
  path: '/v1/domains/{id}/dns',
  access,
  tag,
  summary,
  params: Id,
  response: () =>
    z.object({
      data: z.array(
        z.object({
          id: z.string(),
          type: z.enum(DNS),
          name: z.string(),
          content: z.string(),
          ttl: z.int(),
          prio: z.int(),
        }),
      ),
      provider: z.enum(['PLATFORM', 'EXTERNAL']),
    }),
});
export const createDnsRecord = route({
  id: 'createDnsRecord',
  method: 'POST',
  path: '/v1/domains/{id}/dns',
  access,
  tag,
  summary,
  params: Id,
  body: z.object({
    type: z.enum(DNS),
    name: z._default(z.string(), ''),
    content: z.string().check(z.minLength(1)),
    ttl: z._default(z.int().check(z.minimum(60), z.maximum(86400)), 3600),
    prio: z.optional(z.int()),
  }),
  response: () => one(z.object({ ok: z.literal(true) })),
});
export const deleteDnsRecord = route({
  id: 'deleteDnsRecord',
  method: 'DELETE',
  path: '/v1/domains/{id}/dns/{recordId}',
  access,
  tag,
  summary,
  params: z.object({ id: z.string(), recordId: z.string() }),
  response: () => one(z.object({ ok: z.literal(true) })),
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
