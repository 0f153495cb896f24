import * as z from 'zod/mini';
import { describe, Moment, resource, single, Timestamp } from '../envelope.ts';
import type { Right } from '../roles.ts';
import { route } from '../route.ts';

/**
 * Kinds of notifications: the name in the settings, and the right that a member needs to receive the kind by email. In the dashboard, every
 * member sees all kinds.
 */
export const NOTIFICATION_KINDS = {
  'deployment-failed': { label: 'Failed deployments', mailRight: 'develop' },
  'database-failed': { label: 'Databases that could not be created', mailRight: 'develop' },
  'endpoint-disabled': { label: 'Disabled webhook endpoints', mailRight: 'develop' },
  'domain-problem': {
    label:
      'Domains that expired, whose registration or renewal failed, or whose registrant must confirm an email address',
    mailRight: 'develop',
  },
  'domain-expiring': { label: 'Domains that will expire and are not certain to renew', mailRight: 'develop' },
  'certificate-problem': {
    label: 'Certificates of custom domains that cannot be issued or renewed',
    mailRight: 'develop',
  },
  'payment-failed': { label: 'Failed payments', mailRight: 'pay' },
  'low-balance': { label: 'A low balance', mailRight: 'pay' },
  'plan-limit': { label: 'More applications than the plan allows', mailRight: 'pay' },
  'limit-near': { label: 'Limits of the account that are 80% used, or reached', mailRight: 'develop' },
  'budget-near': { label: 'API keys that have spent most of their budget for AI credits', mailRight: 'develop' },
  'export-ready': { label: 'Exports of the account that are ready, or failed', mailRight: 'manage' },
} as const satisfies Record<string, { label: string; mailRight: Right }>;
export type NotificationKind = keyof typeof NOTIFICATION_KINDS;
export const NOTIFICATION_KIND_NAMES = Object.keys(NOTIFICATION_KINDS) as [NotificationKind, ...NotificationKind[]];

/** The minutes for which incidents of one kind are collected into one email to a member. */
export const MAIL_WINDOW_MINUTES = 60;

/** The balance in cents below which the account is notified. */
export const LOW_BALANCE_CENTS = 5000;
/** The number of newest notifications that are shown and counted. */
export const MAX_NOTIFICATIONS = 50;
/** The number of days after which a notification is deleted. */
export const NOTIFICATION_DAYS = 30;

const Kind = () => z.enum(NOTIFICATION_KIND_NAMES);

const Kinds = () => z.array(Kind()).check(z.maxLength(NOTIFICATION_KIND_NAMES.length));

const Notification = resource('Notification', () =>
  z.object({
    id: z.string(),
    kind: Kind(),
    title: z.string(),
    /** The path of the resource's screen in the dashboard. */
    path: z.string(),
    isRead: z.boolean(),
    /** The time of the latest occurrence on that day. */
    at: Timestamp(),
  }),
);

const KindsOff = (channel: string) =>
  z
    .array(Kind())
    .register(z.globalRegistry, { description: `Kinds that this login has switched off in this account ${channel}` });
const settings = () => ({ off: KindsOff('in the dashboard'), offByMail: KindsOff('by email') });

const tag = 'Account';
const access = 'login';

export const listNotifications = /* @__PURE__ */ route({
  id: 'listNotifications',
  method: 'GET',
  path: '/dashboard/v1/notifications',
  access,
  right: 'member',
  summary: `List the newest ${MAX_NOTIFICATIONS} notifications of the last ${NOTIFICATION_DAYS} days, one per incident and day`,
  tag,
  response: () =>
    single(
      z.object({
        notifications: z.array(Notification()),
        ...settings(),
        mail: describe(
          z.nullable(z.object({ address: z.nullable(z.string()) })),
          'The address that receives emails; null on an installation that sends no email',
        ),
      }),
    ),
  uses: ['mail-sender'],
});

export const readNotifications = /* @__PURE__ */ route({
  id: 'readNotifications',
  method: 'POST',
  path: '/dashboard/v1/notifications/read',
  access,
  right: 'member',
  audit: { because: 'it only marks notifications as read for one login' },
  summary: 'Mark the notifications up to a time as read, for your login',
  tag,
  body: () => z.object({ until: Moment('Notifications up to this time are marked as read') }),
  response: () => single(z.object({ until: Timestamp() })),
});

export const setNotificationSettings = /* @__PURE__ */ route({
  id: 'setNotificationSettings',
  method: 'PUT',
  path: '/dashboard/v1/notifications/settings',
  access,
  right: 'member',
  audit: { because: 'it changes only the notifications of one login' },
  summary: 'Choose the kinds of notifications that your login receives in this account, in the dashboard and by email',
  tag,
  body: () => z.object({ off: Kinds(), offByMail: z.optional(Kinds()) }),
  response: () => single(z.object(settings())),
});
