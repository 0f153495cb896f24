// Until their areas have landed: operations as the design has them. This file goes when they are all in contract/.
import * as z from 'zod/mini';
import { AiCredits, AiProvider, BuyCreditsInput, ProviderKeyInput } from '../contract/ai.ts';
import { DELIVERY_OUTCOMES, DELIVERY_STATUSES } from '../contract/choices.ts';
import { Deleted, Id, Money, many, one, Page, Timestamp } from '../contract/envelope.ts';
import { route, SCOPES } from '../contract/route.ts';
import { WebhookEndpoint } from '../contract/webhooks.ts';

const access = 'any' as const;
const tag = 'Dashboard';
const summary = '';

const Key = () =>
  z.object({
    id: z.string(),
    name: z.string(),
    scopes: z.array(z.enum(SCOPES)),
    allowedOrigins: z.array(z.string()),
    expiresAt: z.nullable(Timestamp),
    lastUsedAt: z.nullable(Timestamp),
    revokedAt: z.nullable(Timestamp),
    publicKey: z.string(),
  });
export const listKeys = route({
  id: 'listKeys',
  method: 'GET',
  path: '/dashboard/v1/keys',
  access,
  tag,
  summary,
  query: Page,
  response: () => many(Key()),
});
export const createKey = route({
  id: 'createKey',
  method: 'POST',
  path: '/dashboard/v1/keys',
  access,
  tag,
  summary,
  body: z.object({
    name: z.string().check(z.trim(), z.minLength(1), z.maxLength(60)),
    scopes: z.array(z.enum(SCOPES)).check(z.minLength(1)),
    allowedOrigins: z.optional(z.array(z.string())),
    expiresAt: z.optional(z.nullable(Timestamp)),
  }),
  response: () => one(z.extend(Key(), { secretKey: z.string() })),
});
export const deleteKey = route({
  id: 'deleteKey',
  method: 'DELETE',
  path: '/dashboard/v1/keys/{id}',
  access,
  tag,
  summary,
  params: Id,
  response: Deleted,
});

export const listOwnWebhooks = route({
  id: 'listWebhooks',
  method: 'GET',
  path: '/dashboard/v1/webhooks',
  access,
  tag,
  summary,
  query: Page,
  response: () => many(z.extend(WebhookEndpoint(), { failureCount: z.int() })),
});
const Delivery = () =>
  z.object({
    id: z.string(),
    eventId: z.string(),
    type: z.string(),
    status: z.enum(DELIVERY_STATUSES),
    createdAt: Timestamp,
    nextAttemptAt: z.nullable(Timestamp),
    attempts: z.array(
      z.object({
        id: z.string(),
        at: Timestamp,
        outcome: z.enum(DELIVERY_OUTCOMES),
        responseStatus: z.nullable(z.int()),
        responseBody: z.string(),
        durationMs: z.int(),
      }),
    ),
  });
export const enableWebhook = route({
  id: 'enableWebhook',
  method: 'POST',
  path: '/dashboard/v1/webhooks/{id}/enable',
  access,
  tag,
  summary,
  params: Id,
  response: () => one(z.unknown()),
});
export const pingWebhook = route({
  id: 'pingWebhook',
  method: 'POST',
  path: '/dashboard/v1/webhooks/{id}/ping',
  access,
  tag,
  summary,
  params: Id,
  response: () => one(z.object({ eventId: z.string() })),
});
export const rotateSecret = route({
  id: 'rotateSecret',
  method: 'POST',
  path: '/dashboard/v1/webhooks/{id}/rotate-secret',
  access,
  tag,
  summary,
  params: Id,
  response: () => one(z.object({ secret: z.string(), previousExpiresAt: Timestamp })),
});
export const listDeliveries = route({
  id: 'listDeliveries',
  method: 'GET',
  path: '/dashboard/v1/webhooks/{id}/deliveries',
  access,
  tag,
  summary,
  params: Id,
  query: Page,
  response: () => many(Delivery()),
});
export const resendDelivery = route({
  id: 'resendDelivery',
  method: 'POST',
  path: '/dashboard/v1/deliveries/{id}/resend',
  access,
  tag,
  summary,
  params: Id,
  response: () => one(Delivery()),
});
export const resendSkipped = route({
  id: 'resendSkipped',
  method: 'POST',
  path: '/dashboard/v1/webhooks/{id}/resend-skipped',
  access,
  tag,
  summary,
  params: Id,
  body: z.object({ since: Timestamp }),
  response: () => one(z.object({ resent: z.int(), remaining: z.boolean() })),
});

export const getEnv = route({
  id: 'getEnv',
  method: 'GET',
  path: '/dashboard/v1/apps/{id}/env',
  access,
  tag,
  summary,
  params: Id,
  response: () => one(z.object({ keys: z.array(z.string()) })),
});

export const getAiCredits = route({
  id: 'getAiCredits',
  method: 'GET',
  path: '/dashboard/v1/ai/credits',
  access,
  tag,
  summary,
  query: Page,
  response: () => one(AiCredits()),
});
export const buyAiCredits = route({
  id: 'buyAiCredits',
  method: 'POST',
  path: '/dashboard/v1/ai/credits',
  access,
  tag,
  summary,
  body: BuyCreditsInput,
  response: () => one(AiCredits()),
});
export const listAiProviders = route({
  id: 'listAiProviders',
  method: 'GET',
  path: '/dashboard/v1/ai/providers',
  access,
  tag,
  summary,
  response: () => z.object({ data: z.array(AiProvider()) }),
});
export const putAiProvider = route({
  id: 'putAiProvider',
  method: 'PUT',
  path: '/dashboard/v1/ai/providers/{id}',
  access,
  tag,
  summary,
  params: Id,
  body: ProviderKeyInput,
  response: () => one(AiProvider()),
});
export const deleteAiProvider = route({
  id: 'deleteAiProvider',
  method: 'DELETE',
  path: '/dashboard/v1/ai/providers/{id}',
  access,
  tag,
  summary,
  params: Id,
  response: Deleted,
});
export { Money };

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
