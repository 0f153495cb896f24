import * as z from 'zod/mini';
import { BILLING_CYCLES, PANEL_STATUSES, PLAN_CATEGORIES, SUBSCRIPTION_STATUSES } from '../enums.ts';
import { describe, Id, list, Page, resource, single, Timestamp } from '../envelope.ts';
import { route } from '../route.ts';

/** A hosting subscription in a list (specification, Resources: Hosting subscription). */
const HostingItem = resource('HostingSubscriptionItem', () =>
  z.object({
    id: z.string(),
    hostingDomain: z.string(),
    status: z.enum(SUBSCRIPTION_STATUSES),
    /** The status that the server last reported. */
    panelStatus: z.enum(PANEL_STATUSES),
    billingCycle: z.enum(BILLING_CYCLES),
    currentPeriodEnd: Timestamp(),
    plan: z.object({ slug: z.string(), name: z.string(), category: z.enum(PLAN_CATEGORIES) }),
    mailboxes: z.int(),
  }),
);

/** A hosting subscription, read live from the server. */
const Hosting = resource('HostingSubscription', () =>
  z.object({
    id: z.string(),
    hostingDomain: z.string(),
    panelStatus: z.enum(PANEL_STATUSES),
    usage: z
      .record(z.string(), z.string())
      .register(z.globalRegistry, { examples: [{ 'Disk Usage': '40 MB of 10240 MB' }] }),
    mailboxes: z.array(
      z.object({
        address: z.string(),
        quotaMb: describe(z.int(), '0 for a mailbox without a quota'),
      }),
    ),
  }),
);

const tag = 'Web and email hosting';

export const listHosting = /* @__PURE__ */ route({
  id: 'listHosting',
  method: 'GET',
  path: '/v1/hosting',
  access: 'read',
  right: 'member',
  summary: 'List your web and email hosting subscriptions, newest first',
  tag,
  query: () => Page('sub'),
  response: () => list(HostingItem()),
});

export const getHosting = /* @__PURE__ */ route({
  id: 'getHosting',
  method: 'GET',
  path: '/v1/hosting/{id}',
  access: 'read',
  right: 'member',
  summary: 'Read a hosting subscription with its usage and mailboxes, live from the server',
  tag,
  params: Id,
  response: () => single(Hosting()),
  uses: ['panel'],
});

export const createHostingSession = /* @__PURE__ */ route({
  id: 'createHostingSession',
  method: 'POST',
  path: '/dashboard/v1/hosting/{id}/session',
  access: 'login',
  right: 'develop',
  audit: 'hosting.session-created',
  // Owners must be able to save their mail and files before the deletion.
  whileClosing: true,
  summary: 'Sign in to the control panel of a hosting subscription, where mailboxes, files and databases are managed',
  tag,
  params: Id,
  response: () =>
    single(
      z.object({
        id: z.string(),
        url: describe(
          z.url(),
          'Opens the control panel without a password, for anyone who has the URL. Open it immediately, and do not store it.',
        ),
        expiresAt: Timestamp(),
      }),
    ),
  uses: ['panel', 'dns'],
});
