import * as z from 'zod/mini';
import { resource, single, Timestamp } from '../envelope.ts';
import { route } from '../route.ts';

/** Kinds of notifications, as settings name them. */
export const NOTIFICATION_KINDS = {
  'deployment-failed': 'Failed deployments',
  'endpoint-disabled': 'Disabled webhook endpoints',
  'domain-problem': 'Domains that expired, or whose registration or renewal failed',
  'payment-failed': 'Failed payments',
  'low-balance': 'A low balance',
  'plan-limit': 'More applications than the plan allows',
} as const;
export type NotificationKind = keyof typeof NOTIFICATION_KINDS;
export const NOTIFICATION_KIND_NAMES = Object.keys(NOTIFICATION_KINDS) as [NotificationKind, ...NotificationKind[]];

/** Balance in cents below which the account is notified. */
export const LOW_BALANCE_CENTS = 5000;
/** Newest notifications that are shown and counted. */
export const MAX_NOTIFICATIONS = 50;
/** Days after which a notification is deleted. */
export const NOTIFICATION_DAYS = 30;

const Kind = () => z.enum(NOTIFICATION_KIND_NAMES);

const Notification = resource('Notification', () =>
  z.object({
    id: z.string(),
    kind: Kind(),
    title: z.string(),
    /** Path of the dashboard's screen of the resource. */
    path: z.string(),
    isRead: z.boolean(),
    /** The last time that it happened on that day. */
    at: Timestamp(),
  }),
);

const Settings = () =>
  z.array(Kind()).register(z.globalRegistry, { description: 'Kinds that this login has switched off in this account' });

const tag = 'Account';
const access = 'login';

export const listNotifications = /* @__PURE__ */ route({
  id: 'listNotifications',
  method: 'GET',
  path: '/dashboard/v1/notifications',
  access,
  right: 'member',
  summary: `List the newest ${MAX_NOTIFICATIONS} notifications of the account, one for each incident and day, for ${NOTIFICATION_DAYS} days`,
  tag,
  response: () => single(z.object({ notifications: z.array(Notification()), off: Settings() })),
});

export const readNotifications = /* @__PURE__ */ route({
  id: 'readNotifications',
  method: 'POST',
  path: '/dashboard/v1/notifications/read',
  access,
  right: 'member',
  audit: { because: 'it changes only what is marked as read for one login' },
  summary: 'Mark the notifications up to a time as read, for your login',
  tag,
  body: () => z.object({ until: Timestamp() }),
  response: () => single(z.object({ until: Timestamp() })),
});

export const setNotificationSettings = /* @__PURE__ */ route({
  id: 'setNotificationSettings',
  method: 'PUT',
  path: '/dashboard/v1/notifications/settings',
  access,
  right: 'member',
  audit: { because: 'it changes only what one login is shown' },
  summary: 'Switch kinds of notifications off, or on again, for your login in this account',
  tag,
  body: () => z.object({ off: z.array(Kind()).check(z.maxLength(NOTIFICATION_KIND_NAMES.length)) }),
  response: () => single(z.object({ off: Settings() })),
});
