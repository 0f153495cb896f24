import * as z from 'zod/mini';
import { DELIVERY_OUTCOMES, DELIVERY_STATUSES } from '../enums.ts';
import { describe, filteredList, Id, list, Moment, Page, resource, single, Timestamp } from '../envelope.ts';
import { route } from '../route.ts';
import { Description, Events, Url, WebhookEndpoint } from './endpoints.ts';
import { EVENTS, type EventType } from './events.ts';

/** An endpoint for the dashboard, with its failure count. */
export const EndpointWithFailures = resource('EndpointWithFailures', () =>
  z.extend(WebhookEndpoint(), { failureCount: z.int() }),
);

const Milliseconds = () => z.nullable(z.int());
const Timing = () =>
  describe(
    z.nullable(
      z.object({
        dnsMs: Milliseconds(),
        connectMs: Milliseconds(),
        tlsMs: Milliseconds(),
        firstByteMs: Milliseconds(),
      }),
    ),
    'Parts of `durationMs`. A part that did not occur is null: a reused connection, for example, needs no DNS query.',
  );

/** The delivery of an event to an endpoint, with its latest attempts and the receiver's responses (specification, Delivery 6). */
const Delivery = resource('Delivery', () =>
  z.object({
    id: z.string(),
    eventId: z.string(),
    type: z.string().register(z.globalRegistry, { openApiOverride: { type: 'string', enum: Object.keys(EVENTS) } }),
    status: z.enum(DELIVERY_STATUSES),
    createdAt: Timestamp(),
    nextAttemptAt: z.nullable(Timestamp()),
    body: describe(z.string(), 'The body that every attempt sends'),
    attempts: describe(
      z.array(
        z.object({
          id: z.string(),
          at: Timestamp(),
          outcome: z.enum(DELIVERY_OUTCOMES),
          responseStatus: z.nullable(z.int()),
          responseBody: z.string(),
          responseHeaders: describe(
            z.nullable(z.array(z.object({ name: z.string(), value: z.string() }))),
            'Up to 1 KB of headers, with cookies and credentials redacted; null if they were not stored',
          ),
          durationMs: z.int(),
          timing: Timing(),
        }),
      ),
      'The latest 12 attempts at most, oldest first',
    ),
  }),
);

/** The statuses whose deliveries can be resent. */
const RESENDABLE = ['SKIPPED', 'FAILED', 'DELIVERED'] as const;

const Resend = () =>
  z.object({
    statuses: describe(
      z._default(z.array(z.enum(RESENDABLE)).check(z.minLength(1), z.maxLength(RESENDABLE.length)), ['SKIPPED']),
      'Statuses of the deliveries to resend. Default: skipped ones',
    ),
    since: Moment('Resends deliveries that were created at this time or later'),
  });

const UpdateWebhook = () =>
  z.object({
    url: z.optional(Url()),
    events: z.optional(Events()),
    description: z.optional(Description()),
    active: describe(
      z.optional(z.literal(false)),
      'Disables the endpoint; its events are skipped until it is enabled again',
    ),
  });

const tag = 'Webhooks';
const access = 'login';

/** The dashboard's version of `GET /v1/webhooks`: the same list, with failure counts. */
export const listEndpoints = /* @__PURE__ */ route({
  id: 'listEndpoints',
  method: 'GET',
  path: '/dashboard/v1/webhooks',
  right: 'member',
  access,
  summary: 'List your webhook endpoints, newest first, with their failures',
  tag,
  query: () => Page('whk'),
  response: () => list(EndpointWithFailures()),
});

/** For the dashboard only: the specification has no operation that changes an endpoint. */
export const updateWebhook = /* @__PURE__ */ route({
  id: 'updateWebhook',
  method: 'PATCH',
  path: '/dashboard/v1/webhooks/{id}',
  right: 'develop',
  access,
  audit: 'webhook.updated',
  summary: 'Change the URL, events or description of an endpoint, or disable it',
  tag,
  params: Id,
  body: UpdateWebhook,
  response: () => single(EndpointWithFailures()),
  uses: ['receivers'],
});

export const enableWebhook = /* @__PURE__ */ route({
  id: 'enableWebhook',
  method: 'POST',
  path: '/dashboard/v1/webhooks/{id}/enable',
  right: 'develop',
  access,
  audit: 'webhook.enabled',
  summary: 'Enable a disabled endpoint, so that it receives events again',
  tag,
  params: Id,
  response: () => single(EndpointWithFailures()),
});

export const pingWebhook = /* @__PURE__ */ route({
  id: 'pingWebhook',
  method: 'POST',
  path: '/dashboard/v1/webhooks/{id}/ping',
  right: 'develop',
  access,
  audit: 'webhook.pinged',
  summary: 'Send an endpoint a `ping` event',
  tag,
  params: Id,
  status: 202,
  response: () => single(z.object({ eventId: z.string() })),
});

export const rotateSecret = /* @__PURE__ */ route({
  id: 'rotateSecret',
  method: 'POST',
  path: '/dashboard/v1/webhooks/{id}/rotate-secret',
  right: 'develop',
  access,
  audit: 'webhook.secret-rotated',
  summary: 'Replace the signing secret of an endpoint; deliveries are also signed with the previous one for 24 hours',
  tag,
  params: Id,
  response: () => single(z.object({ secret: z.string(), previousExpiresAt: Timestamp() })),
  uses: ['signing'],
});

export const listDeliveries = /* @__PURE__ */ route({
  id: 'listDeliveries',
  method: 'GET',
  path: '/v1/webhooks/{id}/deliveries',
  access: 'read',
  right: 'member',
  summary: 'List the recent deliveries to an endpoint, newest first, with the receiver’s responses',
  tag,
  params: Id,
  query: () =>
    z.extend(Page('dlv'), {
      status: z.optional(z.enum(DELIVERY_STATUSES)),
      type: z.optional(z.enum(Object.keys(EVENTS) as EventType[])),
      from: z.optional(Moment('Only deliveries that were created at this time or later')),
      to: z.optional(Moment('Only deliveries that were created before this time')),
    }),
  response: () => filteredList(Delivery()),
});

/** Time ranges of an endpoint's statistics, each with the length and number of its periods. */
export const DELIVERY_RANGES = {
  day: { periodS: 3600, periods: 24 },
  week: { periodS: 21_600, periods: 28 },
  month: { periodS: 86_400, periods: 30 },
} as const;
export type DeliveryRange = keyof typeof DELIVERY_RANGES;
const ranges = Object.keys(DELIVERY_RANGES) as DeliveryRange[];

/** Statistics of an endpoint: its deliveries by the period in which they were created, and the pending ones. */
const DeliveryStats = resource('DeliveryStats', () =>
  z.object({
    range: z.enum(ranges),
    from: Timestamp(),
    periodSeconds: z.int(),
    points: z.array(
      z.object({ at: Timestamp(), deliveries: z.int(), failed: z.int(), pending: z.int(), attempts: z.int() }),
    ),
    totals: z.object({
      delivered: z.int(),
      failed: z.int(),
      skipped: z.int(),
      pending: z.int(),
      attempts: z.int(),
      p50Ms: z.nullable(z.number()),
      p95Ms: z.nullable(z.number()),
    }),
    nextAttemptAt: z.nullable(Timestamp()),
    complete: describe(
      z.boolean(),
      'False if there were more deliveries than one request reads; only the newest are counted then',
    ),
  }),
);

export const getDeliveryStats = /* @__PURE__ */ route({
  id: 'getDeliveryStats',
  method: 'GET',
  path: '/dashboard/v1/webhooks/{id}/stats',
  right: 'member',
  access,
  summary: 'Read the success rate, latency and pending deliveries of an endpoint',
  tag,
  params: Id,
  query: () => z.object({ range: z._default(z.enum(ranges), 'day') }),
  response: () => single(DeliveryStats()),
});

export const resendDelivery = /* @__PURE__ */ route({
  id: 'resendDelivery',
  method: 'POST',
  path: '/v1/deliveries/{id}/resend',
  access: 'write',
  right: 'develop',
  audit: 'delivery.resent',
  summary: 'Resend a delivery: the same event, with six new attempts',
  tag,
  params: Id,
  status: 202,
  response: () => single(Delivery()),
});

export const resendSkipped = /* @__PURE__ */ route({
  id: 'resendSkipped',
  method: 'POST',
  path: '/dashboard/v1/webhooks/{id}/resend-skipped',
  right: 'develop',
  access,
  audit: 'webhook.skipped-resent',
  summary:
    'Resend deliveries that an endpoint missed while it was disabled, failed to receive, or received; at most 500 per call',
  tag,
  params: Id,
  body: Resend,
  status: 202,
  response: () =>
    single(
      z.object({
        resent: z.int(),
        remaining: z.boolean(),
        next: describe(z.nullable(Timestamp()), 'If deliveries remain, the `since` for the next call; otherwise null'),
      }),
    ),
});
