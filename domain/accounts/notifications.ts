import {
  type listNotifications as ListRoute,
  LOW_BALANCE_CENTS,
  MAX_NOTIFICATIONS,
  type NotificationKind,
  type readNotifications as ReadRoute,
  type setNotificationSettings as SetRoute,
} from '../../contract/accounts/notifications.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/route.ts';
import type { AuditEntry } from '../../table/entities/audit.ts';
import type { WalletTransaction } from '../../table/entities/billing.ts';
import { Notification, NotificationReader, notificationsOf } from '../../table/entities/notifications.ts';
import type { Event } from '../../table/entities/webhooks.ts';
import { type Change, unchanged } from '../../table/expressions.ts';
import { upsert } from '../../table/writes.ts';
import { formatRand } from '../billing/money.ts';
import { concurrentUpdate, retryRequest } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';

/** Notifications of an account: derived from incidents, shown to each member (docs/decisions/0058-members-and-notifications.md). */

export interface Incident {
  accountId: string;
  kind: NotificationKind;
  subjectId: string;
  title: string;
  path: string;
  at: string;
}

/** Stores incidents, one item per incident and day, so that a repeated failure is one notification. Idempotent. */
export async function notify(deps: Pick<Deps, 'table'>, incidents: readonly Incident[]): Promise<void> {
  const writes = incidents.map(async (incident) => {
    const item = { ...incident, day: incident.at.slice(0, 10) };
    const expiresAtEpoch = Notification.expiresAtEpoch?.(item);
    const set = { ...item, expiresAtEpoch };
    await deps.table.write(Notification, upsert(Notification, item, { set }));
  });
  await Promise.all(writes);
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Returns the incident that an event of the account represents; none for most events.
 *
 * @param name name of the event's application or key, if known
 */
export function incidentOfEvent({ accountId, type, data, created: at }: Event, name?: string): Incident[] {
  const incident = (kind: NotificationKind, subjectId: string, title: string, path: string): Incident[] => [
    { accountId, kind, subjectId, title, path, at },
  ];
  if (type === 'deployment.failed') {
    const [app, deployment] = [text(data.applicationId), text(data.deploymentId)];
    const title = `A deployment of ${name ?? 'an application'} failed.`;
    return incident('deployment-failed', app, title, `/apps/${app}/deployments/${deployment}`);
  }
  if (type === 'payment.failed')
    return incident('payment-failed', 'wallet', `A card payment of R${text(data.amount)} failed.`, '/billing');
  if (type === 'plan.limit_exceeded')
    return incident('plan-limit', 'plan', 'You have more applications than your plan allows.', '/billing/plans');
  if (type === 'ai.budget_near') {
    const key = name === undefined ? 'An API key' : `The API key ${name}`;
    const title = `${key} has spent R${text(data.spent)} of its AI budget of R${text(data.budget)}.`;
    return incident('budget-near', text(data.keyId), title, '/developers');
  }
  return [];
}

const DOMAIN_TITLES: Readonly<Record<string, string>> = {
  'domain.expired': 'expired.',
  'domain.failed': 'could not be registered. What you paid for it is back in your wallet.',
  'domain.renewal-refused': 'could not be renewed.',
};

/** Returns the title of an incident about an unpaid plan: its invoice, suspension or cancellation. */
function unpaidTitle({ action, before, after }: AuditEntry, plan = 'A plan'): string | undefined {
  if (action === 'invoice.issued' && after?.kind === 'PLAN' && after.status === 'UNPAID')
    return `Invoice ${text(after.number)} for a plan is unpaid: your balance does not cover it.`;
  if (action === 'subscription.suspended') return `${plan} was suspended: its invoice is unpaid.`;
  // Other cancellations have other reasons.
  const isForWantOfPayment =
    action === 'subscription.cancelled' && before?.status === 'SUSPENDED' && after?.reason === undefined;
  return isForWantOfPayment ? `${plan} was cancelled: its invoice remained unpaid.` : undefined;
}

/**
 * Returns the incident that an audit entry represents; none for most entries, and for all actions of people.
 *
 * @param plan name of the entry's plan, if known
 */
export function incidentOfEntry(entry: AuditEntry, plan?: string): Incident[] {
  const { accountId, action, actor, subjectId, after, createdAt: at } = entry;
  if (actor.kind !== 'PLATFORM' || subjectId === null) return [];
  const common = { accountId, subjectId, at };
  if (action === 'webhook.disabled') {
    const title = `The webhook endpoint ${text(after?.url)} was disabled after too many failed deliveries.`;
    return [{ ...common, kind: 'endpoint-disabled', title, path: `/developers/webhooks/${subjectId}` }];
  }
  if (action === 'database.failed') {
    const title = `The database ${text(after?.name)} could not be created.`;
    return [{ ...common, kind: 'database-failed', title, path: `/apps/${text(after?.applicationId)}/databases` }];
  }
  const unpaid = unpaidTitle(entry, plan);
  if (unpaid) return [{ ...common, kind: 'payment-failed', title: unpaid, path: '/billing' }];
  if (action === 'subscription.cancelled' && after?.reason !== undefined) {
    const title = `${plan ?? 'A hosting plan'} was cancelled. ${text(after.reason)}`;
    return [{ ...common, kind: 'domain-problem', title, path: '/hosting' }];
  }
  const isUnpaid = action === 'domain.failed' && after?.reason === 'UNPAID';
  const ending = isUnpaid ? 'was not registered: its invoice was not paid in time.' : DOMAIN_TITLES[action];
  if (ending === undefined) return [];
  const title = `${text(after?.domain) || 'A domain'} ${ending}`;
  return [{ ...common, kind: 'domain-problem', title, path: `/domains/${subjectId}` }];
}

/** Returns the incident of the transaction by which the balance falls below the threshold; none for other transactions. */
export function incidentOfTransaction(transaction: WalletTransaction): Incident[] {
  const { accountId, amountCents, balanceAfterCents: balance, createdAt: at } = transaction;
  if (balance >= LOW_BALANCE_CENTS || balance - amountCents < LOW_BALANCE_CENTS) return [];
  const title = `Your balance is below R${formatRand(LOW_BALANCE_CENTS)}.`;
  return [{ accountId, kind: 'low-balance', subjectId: 'wallet', title, path: '/billing', at }];
}

/** Maximum number of notifications that a list reads, if most of them are of kinds that are turned off. */
const MAX_READ = 2000;

/** Reads the newest notifications of the kinds that a login has not turned off, concurrently with the login's settings. */
async function readNewest(
  { table }: Pick<Deps, 'table'>,
  accountId: string,
  reading: Promise<NotificationReader | undefined>,
): Promise<Notification[]> {
  const newest: Notification[] = [];
  let read = 0;
  for await (const notification of table.newest(Notification, notificationsOf(accountId), {
    pageSize: 2 * MAX_NOTIFICATIONS,
  })) {
    const { off = [] } = (await reading) ?? {};
    // Reads every day completely: within a day, notifications are sorted by kind and not by time.
    const isFull = newest.length >= MAX_NOTIFICATIONS && newest.at(-1)?.day !== notification.day;
    if (isFull || read === MAX_READ) break;
    read += 1;
    if (!off.includes(notification.kind)) newest.push(notification);
  }
  return newest.sort((a, b) => b.at.localeCompare(a.at)).slice(0, MAX_NOTIFICATIONS);
}

/** Reads a login's settings in an account; undefined before the first change. */
async function readSettings({ table }: Pick<Deps, 'table'>, { accountId, session }: Caller) {
  if (!session) throw new ApiError('unauthorized');
  return await table.get(NotificationReader, { accountId, subject: session.subject });
}

/** Returns the kinds that are not sent by email. Removes duplicates, which concurrent clicks on an unsubscribe link append. */
const mailedOff = (reader: NotificationReader | undefined) => [...new Set(reader?.offByMail)];

/** Reads a login's notifications, newest first, without the kinds that it has turned off. */
export async function readInbox(deps: Pick<Deps, 'table'>, caller: Caller) {
  const { accountId } = caller;
  const reading = readSettings(deps, caller);
  const [newest, reader] = await Promise.all([readNewest(deps, accountId, reading), reading]);
  const { off = [], readUntil = '' } = reader ?? {};
  const notifications = newest.map(({ day, kind, subjectId, title, path, at }) => ({
    id: `${day}.${kind}.${subjectId}`,
    kind,
    title,
    path,
    at,
    isRead: at <= readUntil,
  }));
  return { notifications, off, offByMail: mailedOff(reader) };
}

/** GET /dashboard/v1/notifications */
export async function listNotifications(deps: Deps, caller: Caller): Promise<Output<typeof ListRoute>> {
  const mail = deps.settings.mailFrom === undefined ? null : { address: caller.email ?? null };
  return { data: { ...(await readInbox(deps, caller)), mail } };
}

/** Returns the write of a login's settings in an account. It throws `ConcurrentUpdateError` if its condition fails. */
function settingsWrite({ accountId, session }: Caller, fields: Partial<NotificationReader>, when: Change['when'] = {}) {
  if (!session) throw new ApiError('unauthorized');
  const key = { accountId, subject: session.subject };
  return upsert(NotificationReader, key, { set: { ...key, ...fields }, when }, concurrentUpdate);
}

/** POST /dashboard/v1/notifications/read */
export const readNotifications = (
  deps: Deps,
  caller: Caller,
  { until }: Input<typeof ReadRoute>,
): Promise<Output<typeof ReadRoute>> => deps.commit([settingsWrite(caller, { readUntil: until })], { data: { until } });

/** PUT /dashboard/v1/notifications/settings. Keeps the email settings unless `offByMail` is given. */
export async function setNotificationSettings(
  deps: Deps,
  caller: Caller,
  { off, offByMail: given }: Input<typeof SetRoute>,
): Promise<Output<typeof SetRoute>> {
  if (given !== undefined)
    return await deps.commit([settingsWrite(caller, { off, offByMail: given })], { data: { off, offByMail: given } });
  return await retryRequest(async () => {
    const reader = await readSettings(deps, caller);
    // An unsubscribe link may turn a kind off concurrently.
    const write = settingsWrite(caller, { off }, { offByMail: unchanged(reader?.offByMail) });
    return await deps.commit([write], { data: { off, offByMail: mailedOff(reader) } });
  });
}
